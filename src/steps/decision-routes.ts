import { object, number, string, type InferType } from 'yup'
import { CONTACT_NOT_FOUND, CONTACT_PARAM, getContact, SUPPRESSED_ERRORS } from '../contacts/index.ts'
import {
  cursorListOf,
  cursorPage,
  cursorQuery,
  freeObject,
  id,
  nullableText,
  operation,
  readCursor,
  type Scope,
  timestamp,
} from '../http/index.ts'
import { readId } from '../platform/ids.ts'
import { DECISION_KINDS, type Decision, decisionsOf } from './decision-queries.ts'
import { branchOf, sentenceOf } from './decision-sentences.ts'

/** `GET /contacts/{id}/decisions`. */
const decisionsQuery = cursorQuery({
  automationId: string().meta({ description: 'Only decisions of this automation.', isId: true }),
  enrollmentId: string().meta({ description: 'Only decisions of this enrollment.', isId: true }),
})

const nullableId = (of: string) =>
  string()
    .nullable()
    .defined()
    .meta({ description: `The ${of}'s identifier, if any.`, json: { format: 'uuid' }, example: null })

const decisionResponse = object({
  id: id('decision'),
  kind: string()
    .oneOf(DECISION_KINDS)
    .required()
    .meta({
      description:
        'STEP: a step other than an email. EMAIL: an email that was not sent. ENTRY: a rule kept the contact out of an automation. ' +
        'END: an enrollment ended before its last step.',
      example: 'STEP',
    }),
  at: timestamp('When the step began, the message was created, the entry was refused, or the enrollment ended.'),
  finishedAt: timestamp('When it was decided; null while a step waits.').nullable().defined(),
  automationId: nullableId('automation'),
  automationName: nullableText('The name of the automation; null for a campaign or if it is deleted.', 'Trial'),
  campaignId: nullableId('campaign'),
  enrollmentId: nullableId('enrollment'),
  version: number()
    .integer()
    .nullable()
    .defined()
    .meta({ description: 'The version of the steps, if any.', example: 1 }),
  stepId: nullableId('step'),
  stepType: nullableText('The type of the step, if any.', 'CONDITION'),
  stepName: nullableText('The name of the step, if it has one.', 'plan'),
  branch: nullableText('The name of the branch that was taken, if any.', 'Pro plan'),
  rule: nullableText(
    'The entry rule (FILTER, REENTRY, KEY, LOOP, PAUSED, TRIGGERS_OFF), the reason why the email was not sent, or the status of the ended enrollment.',
  ),
  detail: freeObject()
    .required()
    .meta({
      description:
        'The facts on which a step was decided, or why the enrollment ended: the goal or exit rule, or a `cause`. Without the scope `contacts:read`, values of the contact are left out, also of the sentence, except the time at which a WAIT_UNTIL ends.',
      example: { matches: [true], values: [{ name: 'contact.metadata.plan', value: 'pro' }] },
    }),
  sentence: string().required().meta({
    description: 'The decision as an English sentence.',
    example: 'Took the branch “Pro plan”: its condition was the first that matched. Compared: plan “pro”.',
  }),
})
  .required()
  .meta({ component: 'Decision', description: 'A decision about a contact.' })

/** The values of the contact, and errors that can repeat them. */
const PERSONAL_DETAILS = ['values', 'problem', 'timezone']

/** The answer of a mail server can repeat the address. Reasons of Dripline do not. */
const withoutAnswer = ({ kind, rule }: Decision): string | null =>
  kind !== 'EMAIL' || (Object.values(SUPPRESSED_ERRORS) as unknown[]).includes(rule) ? rule : null

/** Without the scope `contacts:read`, the values of the contact are left out. */
const presentDecision = (found: Decision, scopes: readonly Scope[]): InferType<typeof decisionResponse> => {
  const kept = Object.entries(found.detail).filter(([name]) => !PERSONAL_DETAILS.includes(name))
  const decision = scopes.includes('contacts:read')
    ? found
    : { ...found, detail: Object.fromEntries(kept), rule: withoutAnswer(found) }
  const { step, at, finishedAt } = decision
  return {
    id: decision.id,
    kind: decision.kind,
    at: at.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    automationId: decision.automationId,
    automationName: decision.automationName,
    campaignId: decision.campaignId,
    enrollmentId: decision.enrollmentId,
    version: decision.version,
    stepId: decision.stepId,
    stepType: decision.stepType,
    stepName: step && 'name' in step && typeof step.name === 'string' ? step.name : null,
    branch: branchOf(decision),
    rule: decision.rule,
    detail: decision.detail,
    sentence: sentenceOf(decision),
  }
}

export const decisionOperations = [
  operation({
    id: 'listDecisionsOfContact',
    method: 'GET',
    path: '/contacts/{id}/decisions',
    params: { id: CONTACT_PARAM },
    tag: 'Contacts',
    summary: 'List the decisions about a contact',
    description:
      'Why the contact got an email, or did not: each step other than emails and fixed waits, each email that was not sent, each ' +
      'enrollment that ended early, and each entry into an automation that was refused in the last 90 days: by a rule, because a custom event found it paused, or by `triggers: false`. Most recent first.',
    scope: 'automations:read',
    query: decisionsQuery,
    responses: { 200: { description: 'A page of decisions.', schema: cursorListOf(decisionResponse) } },
    errors: { 400: ['cursor must be the nextCursor of a page of this list'], 404: [CONTACT_NOT_FOUND] },
    async handle({ caller, params, query }, { em }) {
      const unit = em.fork()
      const behind = readCursor(query.cursor)
      const { id: contactId } = await getContact(unit, caller.workspace.id, params.id)
      const automationId = query.automationId === undefined ? undefined : readId(query.automationId)
      const enrollmentId = query.enrollmentId === undefined ? undefined : readId(query.enrollmentId)
      const isNone =
        (query.automationId !== undefined && automationId === undefined) ||
        (query.enrollmentId !== undefined && enrollmentId === undefined)
      const limit = query.limit + 1
      const page = isNone ? [] : await decisionsOf(unit, contactId, { automationId, enrollmentId, behind, limit })
      return cursorPage(page, query.limit, (decision) => presentDecision(decision, caller.scopes))
    },
  }),
]
