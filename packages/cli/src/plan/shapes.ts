import type { Schemas } from '@dripline/client'

/** The kinds of resources that are kept as files, in the order in which they are created. */
export const KINDS = ['sender', 'snippets', 'templates', 'lists', 'segments', 'automations', 'webhooks'] as const
export type Kind = (typeof KINDS)[number]
/** The kinds to which others refer by name. */
export type Referable = 'lists' | 'segments' | 'templates' | 'automations' | 'campaigns'

/**
 * The shape of a value. It determines how a value of the API becomes one of a file and back:
 * - `reference`: an ID in the API, the name of the other resource in a file.
 * - `stepId`, `message`: the ID of a step, which differs between workspaces; the ID of a step or a campaign in a condition.
 * - `text`, `json`: content that can be in a file of its own.
 * - `headers`: those that are secret are references to environment variables in a file.
 */
export type Shape =
  | { is: 'value' | 'stepId' | 'message' | 'text' | 'json' | 'headers' }
  | { is: 'reference'; to: Referable }
  | { is: 'array'; of: Shape; sortedBy?: string }
  | { is: 'object'; fields: Fields }
  /** An object whose fields depend on its value. */
  | { is: 'variant'; fieldsOf: (value: Record<string, unknown>) => Fields | undefined; known: readonly string[] }

export interface Field {
  shape: Shape
  /** The key in a file, if it is not the one of the API. */
  key?: string
  /** The value of the API if the field is missing. Such a value is left out of files. */
  default?: unknown
  isRequired?: true
}
/** Fields by their key in the API, in the order of files. */
export type Fields = Readonly<Record<string, Field>>

/** Declares the fields of an input of the API. The compiler reports a missing one. */
const fieldsOf =
  <Input>() =>
  (fields: { [Name in keyof Required<Input>]: Field }): Fields =>
    fields

const without = (fields: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

const value: Shape = { is: 'value' }
const plain: Field = { shape: value }
const required: Field = { shape: value, isRequired: true }
const or = (byDefault: unknown, shape: Shape = value): Field => ({ shape, default: byDefault })
const many = (of: Shape): Shape => ({ is: 'array', of })
const reference = (to: Referable, key?: string): Field => ({
  shape: { is: 'reference', to },
  ...(key !== undefined && { key }),
})

/** The keys of all forms of a condition. The API checks which ones a form allows. */
const CONDITION: Shape = {
  is: 'object',
  get fields(): Fields {
    return CONDITION_FIELDS
  },
}
const CONDITION_FIELDS: Fields = {
  all: { shape: many(CONDITION) },
  any: { shape: many(CONDITION) },
  not: { shape: CONDITION },
  field: plain,
  metadata: plain,
  tag: plain,
  list: reference('lists'),
  segment: reference('segments'),
  activity: plain,
  automation: reference('automations'),
  campaign: reference('campaigns'),
  message: { shape: { is: 'message' } },
  event: plain,
  eventData: plain,
  stepData: plain,
  data: plain,
  is: plain,
  value: plain,
  atLeast: plain,
  atMost: plain,
  withinDays: plain,
  where: { shape: CONDITION },
}

const RULE: Fields = { event: plain, eventName: plain, filter: { shape: CONDITION }, condition: { shape: CONDITION } }

type StepInput<Type extends string> = Omit<Extract<Schemas['StepInput'], { type: Type }>, 'position'>

/** The steps of a branch. */
const STEPS: Shape = {
  is: 'array',
  get of(): Shape {
    return STEP
  },
}
const common = { type: required, id: { shape: { is: 'stepId' }, isRequired: true }, name: or(null) } as const

const EMAIL = fieldsOf<Omit<StepInput<'EMAIL'>, 'delayMinutes'>>()({
  ...common,
  category: or('marketing'),
  templateId: reference('templates', 'template'),
  templateVersion: plain,
  subject: plain,
  previewText: or(null),
  html: or(null, { is: 'text' }),
  text: or(null, { is: 'text' }),
  design: { shape: { is: 'json' } },
})
/** An email from a template has no content of its own. */
const TEMPLATE_EMAIL = without(EMAIL, 'subject', 'previewText', 'html', 'text', 'design')

type Bare<Type extends string> = Omit<StepInput<Type>, 'subject' | 'delayMinutes'>
const STEP_FIELDS: Readonly<Record<Schemas['StepInput']['type'], Fields>> = {
  EMAIL,
  WAIT: fieldsOf<Omit<StepInput<'WAIT'>, 'subject'>>()({ ...common, delayMinutes: required }),
  WAIT_UNTIL: fieldsOf<Bare<'WAIT_UNTIL'>>()({
    ...common,
    until: required,
    timezone: or('contact'),
    ifPast: or('continue'),
  }),
  WAIT_FOR_EVENT: fieldsOf<Bare<'WAIT_FOR_EVENT'>>()({
    ...common,
    eventName: required,
    filter: or(null, CONDITION),
    timeoutMinutes: required,
    received: or([], STEPS),
    timedOut: or([], STEPS),
  }),
  CONDITION: fieldsOf<Bare<'CONDITION'>>()({
    ...common,
    branches: {
      shape: many({
        is: 'object',
        fields: { name: required, if: { shape: CONDITION, isRequired: true }, steps: or([], STEPS) },
      }),
      isRequired: true,
    },
    else: or([], STEPS),
  }),
  SPLIT: fieldsOf<Bare<'SPLIT'>>()({
    ...common,
    branches: {
      shape: many({ is: 'object', fields: { name: required, weight: required, steps: or([], STEPS) } }),
      isRequired: true,
    },
  }),
  UPDATE_CONTACT: fieldsOf<Bare<'UPDATE_CONTACT'>>()({
    ...common,
    set: plain,
    addTags: plain,
    removeTags: plain,
    addToLists: { shape: many(reference('lists').shape) },
    removeFromLists: { shape: many(reference('lists').shape) },
  }),
  WEBHOOK: fieldsOf<Bare<'WEBHOOK'>>()({
    ...common,
    url: required,
    method: or('POST'),
    headers: or({}, { is: 'headers' }),
    body: or(null),
    saveAs: or(null),
  }),
  EXIT: fieldsOf<Bare<'EXIT'>>()(common),
}

const STEP: Shape = {
  is: 'variant',
  known: Object.keys(STEP_FIELDS),
  fieldsOf: ({ type, template, templateId }) =>
    type === 'EMAIL' && (template ?? templateId) != null
      ? TEMPLATE_EMAIL
      : STEP_FIELDS[type as keyof typeof STEP_FIELDS],
}

const AUTOMATION = fieldsOf<Schemas['AutomationInput']>()({
  name: required,
  description: or(null),
  status: required,
  trigger: required,
  triggerConfig: or(
    {},
    {
      is: 'object',
      fields: {
        listId: reference('lists', 'list'),
        tagName: plain,
        eventName: plain,
        segmentId: reference('segments', 'segment'),
        field: plain,
        repeat: plain,
        offsetDays: plain,
        timeOfDay: plain,
        timezone: plain,
      },
    },
  ),
  entry: or(
    {},
    {
      is: 'object',
      fields: fieldsOf<Schemas['EntryRules']>()({
        filter: or(null, CONDITION),
        reentry: or('ALWAYS'),
        concurrency: or('ONE'),
      }),
    },
  ),
  exitOn: or([], many({ is: 'object', fields: RULE })),
  goal: or(null, { is: 'object', fields: RULE }),
  onSendFailure: or('CONTINUE'),
  steps: or([], STEPS),
})

const CONTENT = {
  subject: or(null),
  previewText: or(null),
  html: or(null, { is: 'text' }),
  text: or(null, { is: 'text' }),
  design: { shape: { is: 'json' } as const },
}

const TEMPLATE = fieldsOf<Schemas['TemplateInput']>()({
  name: required,
  kind: or('EMAIL'),
  format: or('HTML'),
  layoutId: { ...reference('templates', 'layout'), default: null },
  ...CONTENT,
  translations: or([], {
    is: 'array',
    sortedBy: 'locale',
    of: { is: 'object', fields: fieldsOf<Schemas['TemplateTranslation']>()({ locale: required, ...CONTENT }) },
  }),
})
const SNIPPET = without(TEMPLATE, 'kind')

/** The fields of each kind of file. */
export const FIELDS: Readonly<Record<Kind, Fields>> = {
  automations: AUTOMATION,
  templates: TEMPLATE,
  snippets: SNIPPET,
  segments: fieldsOf<Schemas['SegmentInput']>()({ name: required, condition: { shape: CONDITION, isRequired: true } }),
  lists: fieldsOf<Schemas['ListInput']>()({
    name: required,
    description: or(null),
    public: or(false),
    doubleOptIn: or(false),
  }),
  webhooks: fieldsOf<Schemas['WebhookInput'] & Schemas['WebhookChange']>()({
    url: or(null),
    description: or(null),
    events: required,
    status: or('ENABLED'),
  }),
  sender: fieldsOf<Schemas['SenderInput']>()({
    fromName: or(null),
    fromAddress: or(null),
    replyTo: or(null),
    postalAddress: or(null),
    brandColor: or(null),
    logoUrl: or(null),
    trackOpens: or(false),
    trackClicks: or(false),
  }),
}
