/** The default: agents write nearly everywhere, remove nearly nothing. */
export const TEAM = `# team: agents read all but secrets; they create and overwrite, except what a build or a deployment trusts; they delete in scratch folders alone.
version: 1
name: team
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
  - name: scratch
    allow: [create, overwrite, delete, move]
    paths: ['/scratch/', '/tmp/', '/sessions/*/workspace/']
  - name: secrets
    deny: [create, overwrite, delete, move]
    paths: ['.env', '.env.*', '!.env.example', '!.env.sample', '*.pem', '*.key', '.npmrc', '.netrc']
    reason: secrets are set by people
  - name: lock-files
    deny: [create, overwrite, delete, move]
    paths:
      - package-lock.json
      - npm-shrinkwrap.json
      - yarn.lock
      - pnpm-lock.yaml
      - bun.lock
      - bun.lockb
      - deno.lock
      - Cargo.lock
      - go.sum
      - poetry.lock
      - uv.lock
      - Pipfile.lock
      - Gemfile.lock
      - composer.lock
      - flake.lock
    reason: lock files are written by the package manager
  - name: ci
    deny: [create, overwrite, delete, move]
    paths:
      - /.github/
      - /.gitlab-ci.yml
      - /.gitlab/
      - /.circleci/
      - /.ci/
      - /.buildkite/
      - /.travis.yml
      - /azure-pipelines.yml
      - Jenkinsfile
    reason: what runs with the build's rights is changed by people
  - name: generated-only-grows
    deny: [delete, move]
    paths: ['generated/']
    reason: generated folders take new files and never lose one
  - name: work
    allow: [create, overwrite]
    paths: ['**']
`;
