const decorators = { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true };

const swc = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: decorators,
    target: 'es2023',
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

export const preset = (displayName) => ({
  displayName,
  testEnvironment: 'node',
  roots: ['<rootDir>/src'],
  // `*.spec.ts` alone does not match `name.int-spec.ts`.
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Never add `import`: jest then takes the ESM build of packages that it must `require`.
  testEnvironmentOptions: { customExportConditions: ['@retrace/source', 'node', 'node-addons'] },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  // ESM suites leak about 15 MB each: recycle the worker before it matters.
  workerIdleMemoryLimit: '400MB',
});
