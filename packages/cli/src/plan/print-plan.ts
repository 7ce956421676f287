import { formatDifference } from './diff.ts'
import type { Change, Plan } from './change.ts'

const SIGNS = { create: '+', update: '~', delete: '-' } as const

/** The workspace of a plan, for people. */
export interface PlannedWorkspace {
  name: string
  mode: string
}

/** Formats a timestamp of the API: "2027-03-01 09:30 UTC". */
const formatTime = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`

/** Advice for drift. A resource that is created again was deleted in the workspace. */
const DRIFT_ADVICE: Record<Change['action'], string> = {
  create: 'Delete the file, or create the resource again with --force.',
  update: 'Pull it first, or overwrite it with --force.',
  delete: 'Pull it first, or delete it with --force.',
}

/** Describes how the workspace differs from what the files expect, and who changed it. */
function describeDrift({ action, drift }: Change): string[] {
  if (!drift) return []
  const { message, author } = drift
  const who =
    author === null
      ? ' The key lacks the scope audit:read, so its author is not shown.'
      : author
        ? ` The last change is by ${author.name}, on ${formatTime(author.at)}.`
        : ''
  return [`${message}${who} ${DRIFT_ADVICE[action]}`]
}

const differencesIn = ({ action, differences }: Change): string[] =>
  differences.flatMap((difference) => formatDifference(difference, action === 'create'))

const linesOf = (change: Change): string[] => [
  ...differencesIn(change),
  ...change.effects,
  ...describeDrift(change).map((line) => `! ${line}`),
]

const count = (changes: readonly Change[], wanted: Change['action']) =>
  changes.filter(({ action }) => action === wanted).length

export const summaryOf = ({ changes, unchanged }: Plan): string =>
  changes.length === 0
    ? `No changes. ${unchanged.length} unchanged.`
    : `${count(changes, 'create')} to create, ${count(changes, 'update')} to update, ${count(changes, 'delete')} to delete, ` +
      `${unchanged.length} unchanged.`

/** Formats a plan for a terminal. */
export function formatPlan(plan: Plan, { name, mode }: PlannedWorkspace): string {
  const blocks = plan.changes.map((change) => {
    const { action, path, name: resource } = change
    const title = `${SIGNS[action]} ${action} ${path} "${resource}"`
    return [title, ...linesOf(change).map((line) => `    ${line}`), ''].join('\n')
  })
  return [`Workspace: ${name} (${mode})`, '', ...blocks, summaryOf(plan)].join('\n')
}

/** Formats a plan for a comment on a pull request. */
export function formatPlanAsMarkdown(plan: Plan, { name, mode }: PlannedWorkspace): string {
  const sections = plan.changes.map((change) => {
    const { action, path, effects } = change
    const lines = differencesIn(change)
    const fence = '`'.repeat(
      Math.max(3, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length + 1)),
    )
    return [
      `### ${SIGNS[action]} ${action} \`${path}\``,
      '',
      ...describeDrift(change).map((line) => `> **Warning:** ${line}\n`),
      ...effects.map((effect) => `- ${effect}\n`),
      ...(lines.length > 0 ? [`${fence}diff`, ...lines.map((line) => line.trimStart()), fence, ''] : []),
    ].join('\n')
  })
  return [`## Dripline: ${name} (${mode})`, '', summaryOf(plan), '', ...sections].join('\n').trimEnd()
}

/** A plan as JSON. */
export const presentPlan = ({ changes, unchanged, state }: Plan) => ({
  workspaceId: state.lock.workspace.id,
  changes: changes.map(({ action, kind, path, name, remote, differences, effects, drift }) => ({
    ...{ action, kind, path, name, id: remote?.id ?? null, differences, effects },
    ...(drift && { drift }),
  })),
  unchanged: unchanged.length,
})
