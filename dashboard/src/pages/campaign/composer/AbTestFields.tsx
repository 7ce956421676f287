import { Button, Select } from '@mantine/core'
import { IntegerInput } from '../../../components/IntegerInput.tsx'
import { count, plural } from '../../../lib/format.ts'
import classes from './composer.module.css'
import type { AbTest } from './fields.ts'
import type { CampaignDraft } from './use-campaign-draft.ts'
import { VariableInput } from './VariableInput.tsx'

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
export function AbTestFields({
  draft: { form, fields },
  test,
  recipients,
}: {
  draft: CampaignDraft
  test: AbTest
  /** `undefined` until they are counted. */
  recipients: number | undefined
}) {
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
          <VariableInput
            key={n}
            label={`Subject ${letterOf(n + 1)}`}
            category={fields.category}
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
      <div className={classes.testRow}>
        <IntegerInput
          label="Test group (%)"
          min={1}
          max={100}
          value={test.testPercent}
          onChange={(testPercent) => testPercent !== null && set({ testPercent })}
        />
        {test.testPercent < 100 && (
          <>
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
          </>
        )}
      </div>
      <p className="small t2" role="status">
        {describeSplit(test, recipients)}
      </p>
    </>
  )
}

/** Says how many contacts get each subject, and how many the winner. The groups are drawn at random, so the numbers are not exact. */
function describeSplit({ variants, testPercent }: AbTest, recipients: number | undefined): string {
  const groups = variants.length + 1
  const rest = testPercent < 100 ? 'The others get the winner.' : 'The report compares them.'
  if (recipients === undefined) return `Split at random between ${groups} subjects. ${rest}`
  const each = Math.floor((recipients * testPercent) / 100 / groups)
  const first = `About ${plural(each, 'contact')} ${each === 1 ? 'gets' : 'get'} each of the ${groups} subjects.`
  return testPercent < 100
    ? `${first} The other ${count(recipients - each * groups)} get the winner.`
    : `${first} ${rest}`
}
