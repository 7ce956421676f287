import { Button, Select, TextInput } from '@mantine/core'
import { IntegerInput } from '../../../components/IntegerInput.tsx'
import type { AbTest } from './fields.ts'
import type { CampaignDraft } from './use-campaign-draft.ts'

export const DEFAULT_TEST: AbTest = {
  variants: [{ subject: '' }],
  testPercent: 20,
  winnerBy: 'OPENED',
  afterMinutes: 240,
}
const MAX_VARIANTS = 3
const HOUR = 60

/** Times after which the winner is chosen, in minutes. */
const TIMES = [
  { value: String(HOUR), label: '1 hour' },
  { value: String(4 * HOUR), label: '4 hours' },
  { value: String(12 * HOUR), label: '12 hours' },
  { value: String(24 * HOUR), label: '1 day' },
  { value: String(48 * HOUR), label: '2 days' },
]

/** The letter of a variant: A is the campaign itself. */
export const letterOf = (variant: number): string => String.fromCharCode(65 + variant)

/** Edits the other subjects of an A/B test, its share of the audience, and how the winner is chosen. */
export function AbTestFields({ draft: { form }, test }: { draft: CampaignDraft; test: AbTest }) {
  const set = (some: Partial<AbTest>) => form.setFieldValue('abTest', { ...test, ...some })
  const minutes = String(test.afterMinutes)
  const times = TIMES.some(({ value }) => value === minutes)
    ? TIMES
    : [...TIMES, { value: minutes, label: `${minutes} minutes` }]
  return (
    <>
      {test.variants.map((variant, n) =>
        variant.templateId != null ? (
          <p key={n} className="small t2">
            Variant {letterOf(n + 1)}: a template, set through the API.
          </p>
        ) : (
          <TextInput
            key={n}
            label={`Subject ${letterOf(n + 1)}`}
            {...form.getInputProps(`abTest.variants.${n}.subject`)}
          />
        ),
      )}
      <div className="row">
        {test.variants.length < MAX_VARIANTS && (
          <Button variant="subtle" color="gray" onClick={() => set({ variants: [...test.variants, { subject: '' }] })}>
            Add subject
          </Button>
        )}
        {test.variants.length > 1 && (
          <Button variant="subtle" color="gray" onClick={() => set({ variants: test.variants.slice(0, -1) })}>
            Remove subject {letterOf(test.variants.length)}
          </Button>
        )}
      </div>
      <IntegerInput
        label="Test group (%)"
        description={
          test.testPercent === 100
            ? 'Everyone gets one of the subjects. The report compares them.'
            : 'Split at random between the subjects. The others get the winner.'
        }
        min={1}
        max={100}
        value={test.testPercent}
        onChange={(testPercent) => testPercent !== null && set({ testPercent })}
      />
      {test.testPercent < 100 && (
        <div className="row" style={{ alignItems: 'flex-start' }}>
          <Select
            label="Winner by"
            data={[
              { value: 'OPENED', label: 'Open rate' },
              { value: 'CLICKED', label: 'Click rate' },
            ]}
            value={test.winnerBy}
            allowDeselect={false}
            onChange={(value) => set({ winnerBy: value === 'CLICKED' ? 'CLICKED' : 'OPENED' })}
          />
          <Select
            label="Winner after"
            data={times}
            value={minutes}
            allowDeselect={false}
            onChange={(value) => value !== null && set({ afterMinutes: Number(value) })}
          />
        </div>
      )}
    </>
  )
}
