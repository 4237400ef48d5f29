/** For throw-away workspaces. Guards stay. */
export const SCRATCH = `# scratch: everything is allowed outside the protected domain; undo is the net.
version: 1
name: scratch
rules:
  - name: everything
    allow: [read, create, overwrite, delete, move, execute]
    paths: ['**']
`;
