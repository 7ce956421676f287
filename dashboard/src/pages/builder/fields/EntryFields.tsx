import { Select, TextInput } from '@mantine/core'
import classes from '../Builder.module.css'
import type { AutomationDraft, EntryRules } from '../draft.ts'
import { OptionalCondition } from './AutomationCondition.tsx'
import { MinutesFields } from './MinutesFields.tsx'

const KEY_PREFIX = 'event.data.'
const DEFAULT_REENTRY_MINUTES = 43_200

/** Edits who enters the automation, and how often. */
export function EntryFields({
  sequence: { entry, trigger },
  set,
}: {
  sequence: AutomationDraft
  set: (fields: Partial<AutomationDraft>) => void
}) {
  const change = (fields: EntryRules) => set({ entry: withoutDefaults({ ...entry, ...fields }) })
  const { filter, reentry = 'ALWAYS', concurrency = 'ONE' } = entry
  const hasKey = typeof concurrency === 'object'
  const canHaveKey = hasKey || trigger === 'EVENT'
  return (
    <section className={classes.section} aria-label="Entry">
      <h3>Entry</h3>
      <OptionalCondition
        label="Only contacts who match"
        add="Add entry filter"
        condition={filter}
        onChange={(next) => change({ filter: next ?? null })}
        sources={trigger === 'EVENT' ? ['eventData'] : []}
      />
      <Select
        label="Re-entry"
        allowDeselect={false}
        data={[
          { value: 'ALWAYS', label: 'Every time' },
          { value: 'ONCE', label: 'Once per contact' },
          { value: 'later', label: 'After a waiting period' },
        ]}
        value={typeof reentry === 'object' ? 'later' : reentry}
        onChange={(value) =>
          change({
            reentry: value === 'later' ? { afterMinutes: DEFAULT_REENTRY_MINUTES } : (value as 'ALWAYS' | 'ONCE'),
          })
        }
      />
      {typeof reentry === 'object' && (
        <div>
          <p className="small t3">Time since the last enrollment began</p>
          <MinutesFields
            minutes={reentry.afterMinutes}
            onChange={(minutes) => change({ reentry: { afterMinutes: Math.max(1, minutes) } })}
          />
        </div>
      )}
      {canHaveKey && (
        <Select
          label="Concurrent enrollments"
          allowDeselect={false}
          data={[
            { value: 'ONE', label: 'One per contact' },
            { value: 'key', label: 'One per value of an event property' },
          ]}
          value={hasKey ? 'key' : 'ONE'}
          onChange={(value) => change({ concurrency: value === 'key' ? { key: KEY_PREFIX } : 'ONE' })}
        />
      )}
      {hasKey && (
        <TextInput
          label="Event property"
          description="A contact is enrolled once for each value, such as an order number."
          placeholder="orderId"
          value={concurrency.key.slice(KEY_PREFIX.length)}
          onChange={({ currentTarget: { value } }) => change({ concurrency: { key: `${KEY_PREFIX}${value}` } })}
        />
      )}
    </section>
  )
}

/** Drops rules that have no effect. */
function withoutDefaults({ filter, reentry, concurrency }: EntryRules): EntryRules {
  return {
    ...(filter && { filter }),
    ...(reentry !== undefined && reentry !== 'ALWAYS' && { reentry }),
    ...(concurrency !== undefined && concurrency !== 'ONE' && { concurrency }),
  }
}
