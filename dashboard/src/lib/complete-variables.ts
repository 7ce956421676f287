import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'

// Variables are offered in this order.
const CONTACT_VARIABLES: readonly Completion[] = [
  { label: 'contact.firstName', detail: 'may be empty' },
  { label: 'contact.email', detail: 'always set' },
  { label: 'contact.id', detail: 'always set' },
  { label: 'contact.externalId', detail: 'may be empty' },
  { label: 'contact.tags', detail: 'names' },
  { label: 'contact.lists', detail: 'names' },
  { label: 'contact.createdAt', detail: 'a time' },
]
const OTHER_VARIABLES: readonly Completion[] = [
  { label: 'unsubscribeUrl', detail: 'preferences and unsubscribe page' },
  { label: 'event.name', detail: 'event-triggered automations only' },
  { label: 'event.data', detail: 'event-triggered automations only' },
  { label: 'steps', detail: 'responses of webhooks' },
  { label: 'confirmUrl', detail: 'double opt-in emails only' },
]

const FILTERS: readonly Completion[] = [
  { label: 'default', apply: 'default: "there"', detail: 'fallback if empty' },
  { label: 'capitalize' },
  { label: 'upcase' },
  { label: 'downcase' },
  { label: 'date', apply: 'date: "%-d %B %Y"' },
  { label: 'escape' },
  { label: 'truncate', apply: 'truncate: 40' },
]

/** Completes variables and filters between `{{` and `}}`. @param keys metadata keys of contacts */
export const completeVariables =
  (keys: () => readonly string[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos)
    const before = line.text.slice(0, context.pos - line.from)
    const open = before.lastIndexOf('{{')
    if (open === -1 || before.indexOf('}}', open) !== -1) return null
    const inside = before.slice(open + 2)
    const prefix = /[\w.]*$/.exec(inside)![0]
    const from = context.pos - prefix.length
    const isFilter = inside.includes('|')
    const end = /^\s*\}\}/.test(line.text.slice(context.pos - line.from)) ? '' : ' }}'
    const metadata = keys().map((key) => ({ label: `contact.metadata.${key}`, detail: 'attribute' }))
    const variables = [...CONTACT_VARIABLES, ...metadata, ...OTHER_VARIABLES]
    const options: Completion[] = isFilter
      ? FILTERS.map((each) => ({ ...each, type: 'function' }))
      : variables.map((each, n) => ({
          ...each,
          type: 'variable',
          apply: `${each.label}${end}`,
          boost: -Math.min(n, 99),
        }))
    return { from, options, validFor: /^[\w.]*$/ }
  }
