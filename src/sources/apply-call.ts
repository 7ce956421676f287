import {
  CONFLICT_ERRORS,
  CONTACT_LIMITS,
  CONTACT_NOT_FOUND,
  EXTERNAL_ID_TAKEN,
  findContactIdByName,
  getContact,
  updateContact,
  upsertContact,
} from '../contacts/index.ts'
import { fireEvent } from '../events/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { ApiError, type ErrorKind, invalid } from '../platform/api-error.ts'
import type { Call } from '../platform/call.ts'
import { violatedConstraint } from '../platform/db/errors.ts'
import { isEmailAddress } from '../platform/email-address.ts'
import { idOfValues, newId } from '../platform/ids.ts'
import { recordIdentified } from './kept-call-queries.ts'
import type { SourceContext } from './source-context.ts'
import type { AliasCall, GroupCall, IdentifyCall, SourceCall, TrackCall } from './schemas.ts'

/**
 * Applies one call.
 *
 * @param dependencies with a transaction
 * @param call its ID becomes the ID of the event
 * @throws {ApiError} the error of this call
 */
export async function applyCall(
  dependencies: Dependencies,
  context: SourceContext,
  given: SourceCall,
  call: Call,
): Promise<void> {
  switch (given.type) {
    case 'identify':
      return identify(dependencies, context, given, call)
    case 'track':
      return track(dependencies, context, given, call)
    case 'alias':
      return alias(dependencies, context, given)
    case 'group':
      return group(dependencies, context, given, call)
    case 'page':
    case 'screen':
      return
  }
}

/** No contact has the ID of a call yet: it can be applied later. */
export class UnknownUser extends ApiError {
  readonly userId: string

  constructor(userId: string, message: string) {
    super(CONTACT_NOT_FOUND, { message })
    this.userId = userId
  }
}

/** The ID of the event of a call. An event that is stored already does nothing again: see `insertCustomEvents`. */
export const eventIdOf = (workspaceId: string, messageId: string): string =>
  idOfValues('source', workspaceId, messageId)

async function identify(dependencies: Dependencies, context: SourceContext, given: IdentifyCall, call: Call) {
  const { em } = dependencies
  const { workspaceId, tellsWhose } = context
  const fields = fieldsOf(given.traits ?? {})
  const email = emailOf(given)
  const known = await byExternalId(dependencies, workspaceId, given.userId)
  const contactId = known ?? (await createContact(dependencies, context, given, fields, call))
  const isNewest = await recordIdentified(em, contactId, timeOf(given.timestamp))
  if (known === undefined) return
  const write = isNewest ? { ...fields, email } : onlyMissing(fields, await getContact(em, workspaceId, known))
  if (write) await updateContact(em, workspaceId, known, write, tellsWhose)
}

interface ContactFields {
  firstName?: string | null | undefined
  metadata: Record<string, unknown>
}

/** Divides traits into the fields of a contact. A full name stays in its metadata, as in imports. */
function fieldsOf(traits: Record<string, unknown>): ContactFields {
  const { firstName: given, first_name: snake, ...metadata } = traits
  delete metadata['email']
  const firstName = given === undefined ? snake : given
  if (firstName !== undefined && firstName !== null && typeof firstName !== 'string')
    throw invalid('traits.firstName must be a text')
  const { name } = metadata
  if (firstName === undefined && typeof name === 'string' && name.trim() !== '')
    return { firstName: name.trim().split(/\s/, 1)[0], metadata }
  return { firstName, metadata }
}

/** The fields that a contact does not have yet; `undefined` if there are none. */
function onlyMissing(
  { firstName, metadata }: ContactFields,
  contact: { firstName?: string | null; metadata: Record<string, unknown> },
): ContactFields | undefined {
  const missing = Object.entries(metadata).filter(([key]) => !Object.hasOwn(contact.metadata, key))
  const isNameless = firstName != null && contact.firstName == null
  if (missing.length === 0 && !isNameless) return undefined
  return { ...(isNameless && { firstName }), metadata: Object.fromEntries(missing) }
}

/** The time of a call, at most now: clocks of senders may be fast. A missing or invalid one is now. */
export function timeOf(timestamp: unknown): Date {
  const now = Date.now()
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  return new Date(Number.isNaN(at) ? now : Math.min(at, now))
}

async function track(dependencies: Dependencies, context: SourceContext, given: TrackCall, call: Call) {
  const { workspaceId, source, isBulk } = context
  const contactId = await findOrCreateContact(dependencies, context, given, call)
  const event = { name: given.event, data: given.properties ?? undefined, source, isBulk }
  // The contact was erased concurrently.
  if (!(await fireEvent(dependencies, workspaceId, contactId, event, call))) throw new ApiError(CONTACT_NOT_FOUND)
}

async function alias(dependencies: Dependencies, { workspaceId, tellsWhose }: SourceContext, given: AliasCall) {
  const { userId, previousId } = given
  const from = await byExternalId(dependencies, workspaceId, previousId)
  const to = await byExternalId(dependencies, workspaceId, userId)
  if (to !== undefined) {
    if (from !== undefined && from !== to)
      throw new ApiError(EXTERNAL_ID_TAKEN, {
        message: 'previousId and userId belong to two contacts. Contacts are not merged. Delete one of them.',
      })
    // Repeated, or of a visitor who was anonymous.
    return
  }
  if (from === undefined)
    throw new UnknownUser(previousId, 'No contact has this previousId. Send an identify call first.')
  await updateContact(dependencies.em, workspaceId, from, { externalId: userId }, tellsWhose)
}

async function group(dependencies: Dependencies, context: SourceContext, given: GroupCall, call: Call) {
  const { groupId, traits } = given
  const contactId = await findOrCreateContact(dependencies, context, given, call)
  const metadata = { group: groupId, ...(traits && { groupTraits: traits }) }
  await updateContact(dependencies.em, context.workspaceId, contactId, { metadata }, context.tellsWhose)
}

type Named = Pick<IdentifyCall, 'userId' | 'context'> & { type: string; traits?: unknown }

/** Finds the contact of a call by its userId or address, or creates it. */
async function findOrCreateContact(
  dependencies: Dependencies,
  context: SourceContext,
  given: Named,
  call: Call,
): Promise<string> {
  const { em } = dependencies
  const email = emailOf(given)
  const byId = await byExternalId(dependencies, context.workspaceId, given.userId)
  if (byId !== undefined) return byId
  if (email !== undefined) {
    const byEmail = await findContactIdByName(em, context.workspaceId, { email })
    // Only an identify or alias call changes the ID of a contact that has one.
    const hasId = byEmail !== undefined && (await getContact(em, context.workspaceId, byEmail)).externalId !== null
    if (byEmail !== undefined && (hasId || !given.userId)) return byEmail
  }
  return createContact(dependencies, context, given, {}, call)
}

/** Creates a contact, or writes to the one with this address. It gets the userId. */
async function createContact(
  dependencies: Dependencies,
  { workspaceId, isBulk }: SourceContext,
  given: Named,
  fields: { firstName?: string | null | undefined; metadata?: Record<string, unknown> },
  call: Call,
): Promise<string> {
  const email = emailOf(given)
  if (email === undefined) {
    const message = messageFor(given)
    throw given.userId ? new UnknownUser(given.userId, message) : new ApiError(CONTACT_NOT_FOUND, { message })
  }
  const input = { email, externalId: given.userId || undefined, ...fields }
  const { id } = await upsertContact(dependencies, workspaceId, input, { ...call, id: newId() }, { isBulk })
  return id
}

const messageFor = ({ type, userId }: Named): string => {
  const field = type === 'identify' ? 'traits.email' : 'context.traits.email'
  if (!userId) return `The call names no contact. Send userId or ${field}.`
  return type === 'identify'
    ? 'No contact has this userId. Send traits.email to create it.'
    : `No contact has this userId. Send an identify call with traits.email first, or ${field}.`
}

/** Reads the address of a call. Traits of a group are not those of its user. */
function emailOf({ type, traits, context }: Named): string | undefined {
  const given = [type === 'identify' ? (['traits.email', traits] as const) : undefined, contextTraits(context)]
  for (const [name, of] of given.filter((each) => each !== undefined)) {
    const email = isRecord(of) && Object.hasOwn(of, 'email') ? of['email'] : undefined
    if (email === undefined || email === null || email === '') continue
    if (typeof email !== 'string' || !isEmailAddress(email.trim()))
      throw invalid(`${name} is not a valid email address`)
    return email.trim()
  }
  return undefined
}

const contextTraits = (context: Named['context']) => ['context.traits.email', context?.['traits']] as const

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const byExternalId = async ({ em }: Dependencies, workspaceId: string, externalId: string | null | undefined) =>
  externalId ? findContactIdByName(em, workspaceId, { externalId }) : undefined

/** Errors that a repetition of the call would have again. */
const LASTING: readonly ErrorKind[] = ['invalid', 'not-found', 'taken']
const LIMITS: Readonly<Record<string, { message: string }>> = { ...CONTACT_LIMITS, ...CONFLICT_ERRORS }

/** Returns what is wrong with a call that can never be applied. @throws the error if a repetition may avoid it */
export function lastingProblemOf(error: unknown): string {
  if (error instanceof ApiError && LASTING.includes(error.kind)) return error.message
  const limit = LIMITS[violatedConstraint(error) ?? '']
  if (limit === undefined) throw error
  return limit.message
}
