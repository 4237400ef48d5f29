import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { RpcException } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';

/** Without it Nest replaces each ordinary error by "Internal server error" before the lane or the caller sees it. */
@Catch()
export class KeepErrorFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => (error instanceof RpcException ? error.getError() : error));
  }
}
