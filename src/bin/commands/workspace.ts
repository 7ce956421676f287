import { type Command, Option } from 'commander'
import { WORKSPACE_MODES, type WorkspaceMode } from '../../http/caller.ts'
import type { Workspace } from '../../workspaces/index.ts'
import { formatTable } from '../table.ts'
import { addCommand, parseName, printResult, type Output } from './command.ts'

const asWorkspace = ({ id, name, mode, createdAt }: Workspace) => ({
  id,
  name,
  mode,
  createdAt: createdAt.toISOString(),
})

export function workspaceCommands(program: Command): void {
  const workspaces = program.command('workspace').description('tenants; everything belongs to exactly one of them')
  addCommand(workspaces, 'create', 'create a workspace')
    .requiredOption('--name <name>', 'its name', parseName)
    .addOption(
      new Option('--mode <mode>', 'live: sends its mail; test: for development, captures all of its mail')
        .choices(WORKSPACE_MODES)
        .makeOptionMandatory(),
    )
    .action(async (options: Output & { name: string; mode: WorkspaceMode }) => {
      const [{ createWorkspace }, { withAudit }] = await Promise.all([
        import('../../workspaces/index.ts'),
        import('./with-audit.ts'),
      ])
      const made = await withAudit(
        'createWorkspace',
        (em) => createWorkspace(em, options),
        ({ id }) => ({ workspaceIds: [id], targetId: id }),
      )
      const workspace = asWorkspace(made)
      printResult(workspace, options, ({ id, name, mode }) => `Created the ${mode} workspace "${name}": ${id}`)
    })
  addCommand(workspaces, 'list', 'list the workspaces').action(async (options: Output) => {
    const [{ listWorkspaces }, { withDatabase }] = await Promise.all([
      import('../../workspaces/index.ts'),
      import('./with-database.ts'),
    ])
    const list = (await withDatabase((orm) => listWorkspaces(orm.em))).map(asWorkspace)
    printResult(list, options, (all) =>
      formatTable(
        ['ID', 'MODE', 'NAME'],
        all.map(({ id, mode, name }) => ({ cells: [id, mode, name] })),
        'There are no workspaces.',
      ),
    )
  })
}
