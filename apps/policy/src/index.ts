export { createPolicyService, type PolicyOptions, policyService } from './service.js';
export { type PolicyTimings } from './timings.js';
export { TextRedactor } from './ports/redactor.port.js';
