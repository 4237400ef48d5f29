import type { Principal } from '@retrace/contracts';

/** Who looks: an agent, who sees what it did itself; `undefined`: an operator or a service, who see all. */
export type Viewer = Principal | undefined;

/** The condition that a viewer adds to every question about rows with an agent. */
export const ownedBy = (viewer: Viewer): { agent?: Principal } => (viewer === undefined ? {} : { agent: viewer });
