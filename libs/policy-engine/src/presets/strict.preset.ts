/** For agents that are new here: they look at all but secrets and write in their own corner. */
export const STRICT = `# strict: agents read all but secrets, and write under scratch/ and sessions/ alone.
version: 1
name: strict
rules:
  - name: operators
    agents: ['_op-*']
    allow: [read, create, overwrite, delete, move, execute]
    paths: ['**']
  - name: secrets-unread
    deny: [read]
    paths: ['.env', '.env.*', '!.env.example', '!.env.sample', '*.pem', '*.key', '.npmrc', '.netrc']
    reason: what an agent reads may end up anywhere
  - name: read-all
    allow: [read]
    paths: ['**']
  - name: own-corner
    allow: [create, overwrite, delete, move]
    paths: ['/scratch/', '/sessions/']
    reason: agents work in scratch/ and sessions/; people take it from there
`;
