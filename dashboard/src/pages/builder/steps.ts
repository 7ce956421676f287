import type { Schemas } from '../../api/client.ts'
import type { Design } from '../../editor/blocks.ts'
import { type Loose, newCondition } from '../../components/conditions/condition.ts'

interface StepBase<Type> {
  id: string
  type: Type
  /** A name for reports and conditions, unique in the automation. */
  name: string | null
}

export interface EmailStep extends StepBase<'EMAIL'> {
  category: 'marketing' | 'transactional'
  /** The template of the email. With a template, it has no content of its own. */
  templateId: string | null
  templateVersion: number | null
  subject: string
  /** `null` for an email of blocks. */
  html: string | null
  /** For an email of blocks, `null` if it is generated. */
  text: string | null
  design?: Design | undefined
  /** Only of an email of blocks. */
  previewText: string | null
}

interface WaitStep extends StepBase<'WAIT'> {
  delayMinutes: number
}

export type Weekday = 'MON' | 'TUE' | 'WED' | 'THU' | 'FRI' | 'SAT' | 'SUN'

export interface WaitTarget {
  at?: string
  field?: string
  offsetMinutes?: number
  timeOfDay?: string
  weekdays?: Weekday[]
}

export interface WaitUntilStep extends StepBase<'WAIT_UNTIL'> {
  until: WaitTarget
  /** `contact`, or an IANA name. */
  timezone: string
  ifPast: 'continue' | 'exit'
}

export interface WaitForEventStep extends StepBase<'WAIT_FOR_EVENT'> {
  eventName: string
  filter: Loose | null
  timeoutMinutes: number
  received: readonly Step[]
  timedOut: readonly Step[]
}

interface ConditionBranch {
  name: string
  if: Loose
  steps: readonly Step[]
}

export interface ConditionStep extends StepBase<'CONDITION'> {
  branches: readonly ConditionBranch[]
  else: readonly Step[]
}

interface SplitBranch {
  name: string
  weight: number
  steps: readonly Step[]
}

export interface SplitStep extends StepBase<'SPLIT'> {
  branches: readonly SplitBranch[]
}

export interface UpdateContactStep extends StepBase<'UPDATE_CONTACT'> {
  set?: { firstName?: string | null; metadata?: Record<string, unknown> }
  addTags?: readonly string[]
  removeTags?: readonly string[]
  addToLists?: readonly string[]
  removeFromLists?: readonly string[]
}

export interface WebhookStep extends StepBase<'WEBHOOK'> {
  url: string
  method: Schemas['WebhookStep']['method']
  headers: Readonly<Record<string, string>>
  body: unknown
  saveAs: string | null
}

type ExitStep = StepBase<'EXIT'>

export type Step =
  | EmailStep
  | WaitStep
  | WaitUntilStep
  | WaitForEventStep
  | ConditionStep
  | SplitStep
  | UpdateContactStep
  | WebhookStep
  | ExitStep
export type StepType = Step['type']

type FieldsOf<Each> = Each extends Step ? Partial<Omit<Each, 'id' | 'type'>> : never
/** The editable fields of a step. */
export type StepFields = FieldsOf<Step>

export const newId = (): string => crypto.randomUUID()

const NEW_STEPS: { [Type in StepType]: Omit<Extract<Step, { type: Type }>, 'id' | 'name'> } = {
  EMAIL: {
    type: 'EMAIL',
    category: 'marketing',
    templateId: null,
    templateVersion: null,
    subject: '',
    html: null,
    text: null,
    design: { blocks: [] },
    previewText: null,
  },
  WAIT: { type: 'WAIT', delayMinutes: 1_440 },
  WAIT_UNTIL: { type: 'WAIT_UNTIL', until: { timeOfDay: '09:00' }, timezone: 'contact', ifPast: 'continue' },
  WAIT_FOR_EVENT: {
    type: 'WAIT_FOR_EVENT',
    eventName: '',
    filter: null,
    timeoutMinutes: 4_320,
    received: [],
    timedOut: [],
  },
  CONDITION: { type: 'CONDITION', branches: [{ name: 'Yes', if: newCondition(), steps: [] }], else: [] },
  SPLIT: {
    type: 'SPLIT',
    branches: [
      { name: 'A', weight: 50, steps: [] },
      { name: 'B', weight: 50, steps: [] },
    ],
  },
  UPDATE_CONTACT: { type: 'UPDATE_CONTACT', addTags: [] },
  WEBHOOK: {
    type: 'WEBHOOK',
    url: '',
    method: 'POST',
    headers: {},
    body: { email: '{{ contact.email }}' },
    saveAs: null,
  },
  EXIT: { type: 'EXIT' },
}

export const newStep = (type: StepType): Step => ({ id: newId(), name: null, ...NEW_STEPS[type] })

const isList = (value: unknown): value is unknown[] => Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOrNull = (value: unknown): string | null => (isText(value) ? value : null)

/** Parses steps of a response or of a stored draft, which may lack newer fields. @returns `undefined` if a step is unknown or incomplete */
export function readSteps(json: unknown): Step[] | undefined {
  if (!isList(json)) return undefined
  const steps = json.map(readStep)
  return steps.includes(undefined) ? undefined : (steps as Step[])
}

function readStep(json: unknown): Step | undefined {
  if (!isRecord(json)) return undefined
  const { id, type } = json
  if (!isText(id) || !isText(type) || !Object.hasOwn(READERS, type)) return undefined
  const fields = READERS[type as Schemas['Step']['type']](json)
  return fields && ({ id, type, name: textOrNull(json['name']), ...fields } as Step)
}

type Reader = (json: Record<string, unknown>) => StepFields | undefined

/** A type that the API has and `Step` has not is an error here. */
const READERS: Record<Schemas['Step']['type'], Reader> = {
  EMAIL: ({ category, templateId, templateVersion, subject, html, text, design, previewText }) =>
    isText(subject)
      ? {
          category: category === 'transactional' ? category : 'marketing',
          templateId: textOrNull(templateId),
          templateVersion: isNumber(templateVersion) ? templateVersion : null,
          subject,
          // The HTML of blocks is made from them.
          html: isRecord(design) ? null : textOrNull(html),
          text: textOrNull(text),
          ...(isRecord(design) && { design: design as unknown as Design }),
          previewText: textOrNull(previewText),
        }
      : undefined,
  WAIT: ({ delayMinutes }) => (isNumber(delayMinutes) ? { delayMinutes } : undefined),
  WAIT_UNTIL: ({ until, timezone, ifPast }) =>
    isRecord(until)
      ? {
          until,
          timezone: isText(timezone) ? timezone : 'contact',
          ifPast: ifPast === 'exit' ? ifPast : 'continue',
        }
      : undefined,
  WAIT_FOR_EVENT({ eventName, filter, timeoutMinutes, ...json }) {
    const received = readSteps(json['received'] ?? [])
    const timedOut = readSteps(json['timedOut'] ?? [])
    return received && timedOut && isText(eventName) && isNumber(timeoutMinutes)
      ? { eventName, filter: isRecord(filter) ? filter : null, timeoutMinutes, received, timedOut }
      : undefined
  },
  CONDITION(json) {
    const otherwise = readSteps(json['else'] ?? [])
    const branches = readBranches(json['branches'], (branch) => isRecord(branch['if']))
    return otherwise && branches ? { branches: branches as unknown as ConditionBranch[], else: otherwise } : undefined
  },
  SPLIT(json) {
    const branches = readBranches(json['branches'], ({ weight }) => isNumber(weight))
    return branches && { branches: branches as unknown as SplitBranch[] }
  },
  UPDATE_CONTACT({ set, addTags, removeTags, addToLists, removeFromLists }) {
    const lists = { addTags, removeTags, addToLists, removeFromLists }
    const given = Object.entries(lists).filter(([, value]) => isList(value) && value.every(isText))
    return { ...(isRecord(set) && { set }), ...Object.fromEntries(given) }
  },
  WEBHOOK: ({ url, method, headers, body, saveAs }) =>
    isText(url)
      ? {
          url,
          method: isText(method) ? (method as WebhookStep['method']) : 'POST',
          headers: isRecord(headers) ? (headers as Record<string, string>) : {},
          body: body ?? null,
          saveAs: textOrNull(saveAs),
        }
      : undefined,
  EXIT: () => ({}),
}

function readBranches(json: unknown, isComplete: (branch: Record<string, unknown>) => boolean) {
  if (!isList(json)) return undefined
  const branches = json.map((branch) => {
    const steps = isRecord(branch) ? readSteps(branch['steps'] ?? []) : undefined
    return isRecord(branch) && steps && isText(branch['name']) && isComplete(branch) ? { ...branch, steps } : undefined
  })
  return branches.includes(undefined) ? undefined : branches
}
