export { exportWorkspace } from './export-workspace.ts'
