import { type Command, InvalidArgumentError } from 'commander'
import type { Segment } from '../../segments/index.ts'
import { formatTable } from '../table.ts'
import { addCommand, parseName, printResult, type Output } from './command.ts'

const asSegment = ({ id, workspaceId, name, condition, createdAt }: Segment) => ({
  id,
  workspaceId,
  name,
  condition,
  createdAt: createdAt.toISOString(),
})

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It must be valid JSON.')
  }
}

export function segmentCommands(program: Command): void {
  const segments = program
    .command('segment')
    .description('saved conditions on contacts; docs/segments.md describes their syntax')
  addCommand(segments, 'create', 'save a condition')
    .requiredOption('--workspace <id>', 'the workspace of the segment')
    .requiredOption('--name <name>', 'its name', parseName)
    .requiredOption('--condition <JSON>', 'such as {"metadata":"plan","is":"equal","value":"pro"}', parseJson)
    .action(async (options: Output & { workspace: string; name: string; condition: unknown }) => {
      const { workspace: workspaceId, name, condition } = options
      const [{ createSegment }, { withAudit }] = await Promise.all([
        import('../../segments/index.ts'),
        import('./with-audit.ts'),
      ])
      const segment = await withAudit(
        'createSegment',
        (transaction) => createSegment(transaction, { workspaceId, name, condition }),
        ({ id }) => ({ workspaceIds: [workspaceId], targetId: id }),
      )
      printResult(asSegment(segment), options, ({ id }) => `Created the segment "${name}": ${id}`)
    })
  addCommand(segments, 'list', 'list the segments of a workspace, newest first')
    .requiredOption('--workspace <id>', 'the workspace')
    .action(async (options: Output & { workspace: string }) => {
      const everything = { limit: 1_000, offset: 0 }
      const [{ assertWorkspace, listSegments }, { withDatabase }] = await Promise.all([
        import('../../segments/index.ts'),
        import('./with-database.ts'),
      ])
      const [list] = await withDatabase(async ({ em }) => {
        await assertWorkspace(em.fork(), options.workspace)
        return listSegments(em, options.workspace, everything)
      })
      printResult(list.map(asSegment), options, (all) =>
        formatTable(
          ['ID', 'NAME'],
          all.map(({ id, name, condition }) => ({ cells: [id, name], below: [JSON.stringify(condition)] })),
          'There are no segments.',
        ),
      )
    })
  addCommand(segments, 'delete', 'delete a segment; its contacts stay')
    .argument('<id>', 'the ID of the segment')
    .action(async (id: string, options: Output) => {
      const [{ deleteSegment }, { withAudit }] = await Promise.all([
        import('../../segments/index.ts'),
        import('./with-audit.ts'),
      ])
      await withAudit(
        'deleteSegment',
        (transaction) => deleteSegment(transaction, id),
        (workspaceId) => ({ workspaceIds: [workspaceId], targetId: id }),
      )
      printResult({ id, deleted: true }, options, () => `Deleted the segment ${id}`)
    })
}
