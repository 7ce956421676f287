import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'

/** What an email can say of its contact, besides the contact's own data. */
const VARIABLES: readonly Completion[] = [
  { label: 'contact.email', detail: 'always there' },
  { label: 'contact.firstName', detail: 'may be empty' },
  { label: 'unsubscribeUrl', detail: 'where she says what she wants' },
  { label: 'confirmUrl', detail: 'where a list asks to be confirmed' },
  { label: 'event.name', detail: 'where an event starts it' },
  { label: 'event.data', detail: 'where an event starts it' },
]

const FILTERS: readonly Completion[] = [
  { label: 'default', apply: 'default: "there"', detail: 'where it is empty' },
  { label: 'capitalize' },
  { label: 'upcase' },
  { label: 'downcase' },
  { label: 'date', apply: 'date: "%-d %B %Y"' },
  { label: 'escape' },
  { label: 'truncate', apply: 'truncate: 40' },
]

/** Completes what stands between `{{` and `}}`. @param keys of the contacts' data */
export const completeVariables =
  (keys: () => readonly string[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos)
    const before = line.text.slice(0, context.pos - line.from)
    const open = before.lastIndexOf('{{')
    if (open === -1 || before.indexOf('}}', open) !== -1) return null
    const inside = before.slice(open + 2)
    const word = /[\w.]*$/.exec(inside)![0]
    const from = context.pos - word.length
    const isFilter = inside.includes('|')
    const end = /^\s*\}\}/.test(line.text.slice(context.pos - line.from)) ? '' : ' }}'
    const options: Completion[] = isFilter
      ? FILTERS.map((each) => ({ ...each, type: 'function' }))
      : [...VARIABLES, ...keys().map((key) => ({ label: `contact.metadata.${key}`, detail: 'of your data' }))].map(
          (each) => ({ ...each, type: 'variable', apply: `${each.label}${end}` }),
        )
    return { from, options, validFor: /^[\w.]*$/ }
  }
