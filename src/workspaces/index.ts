export {
  type Caller,
  type CallingKey,
  type CallingPerson,
  DEFAULT_RATE_LIMIT,
  isAtLeast,
  isRole,
  isScope,
  nameOf,
  type RateLimit,
  type Role,
  ROLES,
  type Scope,
  SCOPES,
  scopesOf,
  WORKSPACE_MODES,
  type WorkspaceMode,
} from '../http/index.ts'
export { createKeyAuthentication } from './authenticate-key.ts'
export { createApiKey, deleteAllApiKeys, deleteApiKey, listApiKeys, rotateApiKey } from './create-api-key.ts'
export { createFirstWorkspace, type FirstKeys } from './create-first-workspace.ts'
export { createWorkspace, listWorkspaces, renameWorkspace } from './create-workspace.ts'
export { ApiKey, RateSlot, RateWindow, Workspace } from './entities.ts'
export { forgetIdleWindows, lockWorkspaces, requestsLately } from './queries.ts'
export { API_KEY_NOT_FOUND } from './refusals.ts'
