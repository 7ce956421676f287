import type { DriplineClient, Schemas } from '@dripline/client'
import { defineCommand, UsageError } from '../command.ts'
import { type Applied, applyPlan } from '../plan/apply.ts'
import { Folder } from '../plan/folder.ts'
import { Lock } from '../plan/lock.ts'
import type { Plan } from '../plan/change.ts'
import { makePlan } from '../plan/plan.ts'
import { formatPlan, formatPlanAsMarkdown, type PlannedWorkspace, presentPlan, summaryOf } from '../plan/print-plan.ts'
import { pull } from '../plan/pull.ts'
import { addRehearsals } from '../plan/rehearse.ts'
import { confirm } from '../prompt.ts'

const DEFAULT_FOLDER = 'dripline'
/** The exit code of "plan --exit-code" if there are changes. */
const HAS_CHANGES = 4

const FOLDER = ['[FOLDER]'] as const
const WORKSPACE = { takes: 'ID', what: 'the workspace that the key must be of' } as const

interface Opened {
  folder: Folder
  lock: Lock
  workspace: PlannedWorkspace & { id: string }
}

/** Opens a folder for the workspace of the key. @throws {UsageError} if the key is of another workspace than expected */
async function open(dripline: DriplineClient, path: string, expected: string | undefined): Promise<Opened> {
  const { workspace }: Schemas['WhoAmI'] = await dripline.workspace.whoami()
  if (expected !== undefined && expected.toLowerCase() !== workspace.id)
    throw new UsageError(`The key belongs to the workspace ${workspace.id} "${workspace.name}", not to ${expected}.`)
  const folder = new Folder(path)
  const lock = new Lock(folder, workspace)
  if (expected === undefined && lock.otherWorkspaces.length > 0)
    throw new UsageError(
      `The folder was used with ${lock.otherWorkspaces.map((name) => `"${name}"`).join(', ')}, and not yet with "${workspace.name}". ` +
        `Pass --workspace ${workspace.id} to use it with this workspace, too.`,
    )
  return { folder, lock, workspace }
}

async function plan(dripline: DriplineClient, opened: Opened): Promise<Plan> {
  const made = await makePlan(dripline, opened.folder, opened.lock)
  if (made.state.files.length === 0 && made.changes.length === 0)
    throw new Error(`The folder "${opened.folder.root}" has no files. Run "dripline pull".`)
  return made
}

export const planCommands = [
  defineCommand({
    call: 'pull',
    args: FOLDER,
    what: `Writes automations, templates, lists and so on into a folder. The default folder is "${DEFAULT_FOLDER}".`,
    options: { force: { what: 'overwrite changed files' }, workspace: WORKSPACE },
    async run({ args: [path = DEFAULT_FOLDER], options, output, connect }) {
      const dripline = connect()
      const { folder, lock } = await open(dripline, path, options.workspace)
      const pulled = await pull(dripline, folder, lock, options.force === true)
      const unchanged = pulled.filter(({ status }) => status === 'unchanged')
      output.result(pulled, () =>
        [
          ...pulled
            .filter((one) => !unchanged.includes(one))
            .map(
              ({ file, status, message }) =>
                `${status.padEnd(8)}  ${file}${message === undefined ? '' : `\n  ${message}`}`,
            ),
          `${pulled.length} ${pulled.length === 1 ? 'file' : 'files'}, ${unchanged.length} unchanged.`,
        ].join('\n'),
      )
      if (pulled.some(({ status }) => status === 'conflict')) process.exitCode = 1
    },
  }),
  defineCommand({
    call: 'plan',
    args: FOLDER,
    what: 'Shows what "dripline apply" would change in the workspace.',
    options: {
      rehearse: { what: 'rehearse changed automations for all contacts; sends nothing' },
      markdown: { what: 'print Markdown, for a comment on a pull request' },
      'exit-code': { what: `exit with ${HAS_CHANGES} if there are changes` },
      workspace: WORKSPACE,
    },
    async run({ args: [path = DEFAULT_FOLDER], options, output, connect }) {
      const dripline = connect()
      const opened = await open(dripline, path, options.workspace)
      const made = await plan(dripline, opened)
      if (options.rehearse === true) await addRehearsals(dripline, made)
      const format = options.markdown === true ? formatPlanAsMarkdown : formatPlan
      output.result(presentPlan(made), () => format(made, opened.workspace))
      if (options['exit-code'] === true && made.changes.length > 0) process.exitCode = HAS_CHANGES
    },
  }),
  defineCommand({
    call: 'apply',
    args: FOLDER,
    what: 'Changes the workspace to what the files in a folder describe.',
    options: {
      yes: { what: 'do not ask' },
      delete: { what: 'delete resources whose files were deleted' },
      force: { what: 'overwrite or delete what was changed in the workspace' },
      workspace: WORKSPACE,
    },
    async run({ args: [path = DEFAULT_FOLDER], options, output, connect }) {
      const dripline = connect()
      const opened = await open(dripline, path, options.workspace)
      const made = await plan(dripline, opened)
      const kept = options.delete === true ? [] : made.changes.filter(({ action }) => action === 'delete')
      const chosen = { ...made, changes: made.changes.filter((change) => !kept.includes(change)) }
      if (!output.isJson) output.result(chosen, () => formatPlan(chosen, opened.workspace))
      for (const { path: file } of kept)
        output.note(`${file} has no file. Pass --delete to delete it in the workspace.`)
      const drifted = chosen.changes.filter(({ drift }) => drift)
      if (drifted.length > 0 && options.force !== true)
        throw new Error(
          `Nothing was changed, because the workspace has other changes: ${drifted.map((one) => one.path).join(', ')}. ` +
            'See "dripline plan". Pull them first, or apply with --force.',
        )
      if (chosen.changes.length > 0 && !(await confirm(summaryOf(chosen), options.yes)))
        return output.result({ applied: [] }, () => 'Nothing was changed.')
      const applied: Applied[] = []
      try {
        for await (const change of applyPlan(dripline, chosen, process.env)) applied.push(change)
      } finally {
        if (output.isJson || chosen.changes.length > 0)
          output.result({ applied }, () => `Applied ${applied.length} of ${chosen.changes.length} changes.`)
      }
    },
  }),
]
