import { readDefinitions } from './definitions.ts'
import { InMemoryWorkspace } from './in-memory-workspace.ts'
import type { Workspace, WorkspaceOptions, WorkspaceSource } from './types.ts'
import { readSource } from './workspace-files.ts'

export type * from './types.ts'

/**
 * Loads the automations, segments, lists and templates of a workspace, and checks them as the API does.
 *
 * @param source the path of a file, the path of a folder of `dripline pull`, or the content
 */
export async function loadWorkspace(
  source: string | WorkspaceSource,
  options: WorkspaceOptions = {},
): Promise<Workspace> {
  const { timezone = 'UTC', ...resources } = await readSource(source)
  const definitions = readDefinitions({ timezone: options.timezone ?? timezone, ...resources })
  return new InMemoryWorkspace(definitions, options)
}
