import { type DriplineClient, DriplineError } from '@dripline/client'
import type { Author, Change } from './change.ts'
import { limited } from './limited.ts'

/** The API's maximum of automations in one request for stats. */
const MAX_IDS = 100

/** Returns what changes do to people. A rehearsal adds its numbers (`rehearse.ts`). */
export async function effectsOf(dripline: DriplineClient, changes: readonly Change[]): Promise<Map<Change, string[]>> {
  const automations = changes.filter(({ kind }) => kind === 'automations')
  const ids = automations.flatMap(({ remote }) => remote?.id ?? [])
  const pages = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, n) =>
    ids.slice(n * MAX_IDS, (n + 1) * MAX_IDS),
  )
  const stats = await limited(pages, (page) => dripline.automations.listStats({ ids: page.join(',') }))
  const inside = new Map(stats.flat().map(({ automationId, active }) => [automationId, active]))
  const ofKind = (change: Change) =>
    change.kind === 'automations' ? effectOf(change, inside.get(change.remote?.id ?? '') ?? 0) : deletionOf(change)
  return new Map(
    changes.map((change) => [change, [...(change.action === 'delete' ? [NO_FILE] : []), ...ofKind(change)]]),
  )
}

const NO_FILE = 'It has no file. Only "apply --delete" deletes it.'

/** Describes the deletion of a list with contacts. */
function deletionOf({ action, kind, remote }: Change): string[] {
  const contacts = Number(remote?.value?.['contactCount'] ?? 0)
  if (action !== 'delete' || kind !== 'lists' || contacts === 0) return []
  return [`${contacts === 1 ? '1 contact is' : `${contacts.toLocaleString('en-US')} contacts are`} in it.`]
}

const IN_STEPS = /^(?:steps|exitOn|goal)\b/

function effectOf({ action, remote, differences }: Change, inside: number): string[] {
  const status = differences.find(({ field }) => field === 'status')?.after
  const contacts =
    inside === 1 ? '1 contact is in the automation' : `${inside.toLocaleString('en-US')} contacts are in the automation`
  const effects: string[] = []
  if (action !== 'delete' && status === 'ACTIVE') effects.push('It enrolls contacts from now on.')
  const isActive = (status ?? remote?.value?.['status']) === 'ACTIVE'
  if (action === 'update' && isActive && differences.some(({ field }) => field.startsWith('trigger')))
    effects.push('Contacts enter it by the new trigger from now on.')
  if (inside > 0 && action === 'delete') effects.push(`${contacts}. They leave it, and get no further email from it.`)
  if (inside > 0 && action === 'update') {
    if (differences.some(({ field }) => IN_STEPS.test(field)))
      effects.push(`${contacts}. They keep the steps that they entered with.`)
    if (status === 'PAUSED' || status === 'DRAFT') effects.push(`${contacts}. They wait before their next email.`)
    if (status === 'ARCHIVED') effects.push(`${contacts}. They continue to the end, and no others enter.`)
    if (status === 'ACTIVE') effects.push(`${contacts}. Those who wait because it was paused continue.`)
  }
  if (remote?.hasDraft) effects.push('The dashboard has unpublished changes to it, which stay a draft.')
  return effects
}

/**
 * Returns who changed a resource last, by the audit log.
 *
 * @returns `undefined` if the log no longer has the change; `null` if the key may not read the log
 */
export async function authorOf(dripline: DriplineClient, id: string): Promise<Author | undefined | null> {
  try {
    const { data } = await dripline.workspace.audit({ targetId: id, limit: 1 }).page()
    const [entry] = data
    return entry && { name: entry.actorName, at: entry.createdAt }
  } catch (error) {
    if (error instanceof DriplineError && error.code === 'scope_missing') return null
    throw error
  }
}
