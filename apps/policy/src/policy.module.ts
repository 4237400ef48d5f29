import { type DynamicModule, Module } from '@nestjs/common';
import { PolicyAdministration } from './administration/policy-administration.js';
import { PolicyQuestions } from './administration/policy-questions.js';
import { IntentsHandler } from './handlers/intents.handler.js';
import { LogEventsHandler } from './handlers/log-events.handler.js';
import { PolicyAddMemberHandler } from './handlers/policy-add-member.handler.js';
import { PolicyExplainHandler } from './handlers/policy-explain.handler.js';
import { PolicyPublishHandler } from './handlers/policy-publish.handler.js';
import { PolicyShowHandler } from './handlers/policy-show.handler.js';
import { Intake } from './intake/intake.js';
import { LogFolder } from './state/log-folder.js';

/** What the handlers stand on. */
export interface PolicyParts {
  readonly intake: Intake;
  readonly folder: LogFolder;
  readonly questions: PolicyQuestions;
  readonly administration: PolicyAdministration;
}

@Module({})
export class PolicyModule {
  static with({ intake, folder, questions, administration }: PolicyParts): DynamicModule {
    return {
      module: PolicyModule,
      controllers: [
        IntentsHandler,
        LogEventsHandler,
        PolicyAddMemberHandler,
        PolicyExplainHandler,
        PolicyPublishHandler,
        PolicyShowHandler,
      ],
      providers: [
        { provide: Intake, useValue: intake },
        { provide: LogFolder, useValue: folder },
        { provide: PolicyQuestions, useValue: questions },
        { provide: PolicyAdministration, useValue: administration },
      ],
    };
  }
}
