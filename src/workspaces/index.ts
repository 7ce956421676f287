export {
  type Caller,
  type CallingPerson,
  nameOf,
  type Role,
  ROLES,
  type Scope,
  WORKSPACE_MODES,
  type WorkspaceMode,
} from '../http/index.ts'
export { advanceClock, readClockAhead, timeIn } from './clock-queries.ts'
export { createKeyAuthentication } from './authenticate-key.ts'
export { createApiKey, deleteAllApiKeys, deleteApiKey, listApiKeys, rotateApiKey } from './create-api-key.ts'
export { createFirstWorkspace, type FirstKeys } from './create-first-workspace.ts'
export { createWorkspace, listWorkspaces, workspacesWithHistoryLimit } from './create-workspace.ts'
export { ApiKey, RateSlot, RateWindow, Workspace } from './entities.ts'
export { deleteIdleWindows, lockWorkspaces } from './queries.ts'
