import { Button, Select, TextInput } from '@mantine/core'
import { DriplineError, type Schemas } from '../../api/client.ts'
import { useScrollIntoView } from '../../lib/use-scroll-into-view.ts'
import { IntegerInput } from '../../components/IntegerInput.tsx'

export type AbTest = NonNullable<Schemas['CampaignInput']['abTest']>

const DEFAULT_TEST: AbTest = { variants: [{ subject: '' }], testPercent: 20, winnerBy: 'OPENED', afterMinutes: 240 }
const MAX_VARIANTS = 3

/** Finds the variant that the API rejected. */
export function variantErrorOf(error: unknown): { n: number; message: string } | undefined {
  if (!(error instanceof DriplineError)) return undefined
  const n = /^\/abTest\/variants\/(\d+)\/subject$/.exec(error.param ?? '')?.[1]
  return n === undefined ? undefined : { n: Number(n), message: error.message.replace(/^\S+ is /, 'This is ') }
}

/**
 * Edits the variants of an A/B test, its share of the audience, and how the winner is chosen.
 * @param error an API error, which may concern a variant
 */
export function AbTestFields({
  test,
  error,
  onChange,
}: {
  test: AbTest | null
  error: unknown
  onChange: (test: AbTest | null) => void
}) {
  const wrong = variantErrorOf(error)
  const invalidInput = useScrollIntoView<HTMLInputElement>(error, wrong !== undefined)
  if (!test)
    return (
      <div>
        <Button variant="subtle" color="gray" onClick={() => onChange(DEFAULT_TEST)}>
          A/B test subject lines
        </Button>
      </div>
    )
  const set = (some: Partial<AbTest>) => onChange({ ...test, ...some })
  return (
    <fieldset className="plainFields formFields">
      <legend className="small strong">A/B test</legend>
      {test.variants.map((variant, n) =>
        variant.templateId != null ? (
          <p key={n} className="small t2">
            Variant {n + 1}: a template, set through the API.
          </p>
        ) : (
          <TextInput
            key={n}
            label={`Subject ${n + 2}`}
            value={variant.subject ?? ''}
            {...(wrong?.n === n && { error: wrong.message, 'data-server-error': true, ref: invalidInput })}
            onChange={({ currentTarget: { value } }) =>
              set({ variants: test.variants.map((each, at) => (at === n ? { subject: value } : each)) })
            }
          />
        ),
      )}
      <div className="row">
        {test.variants.length < MAX_VARIANTS && (
          <Button variant="subtle" color="gray" onClick={() => set({ variants: [...test.variants, { subject: '' }] })}>
            Add variant
          </Button>
        )}
        <Button
          variant="subtle"
          color="gray"
          onClick={() => {
            const variants = test.variants.slice(0, -1)
            if (variants.length === 0) onChange(null)
            else set({ variants })
          }}
        >
          {test.variants.length > 1 ? 'Remove variant' : 'Turn off A/B test'}
        </Button>
      </div>
      <IntegerInput
        label="Test group (%)"
        description="Split at random between the variants. The rest of the audience gets the winner."
        min={1}
        max={100}
        value={test.testPercent}
        onChange={(testPercent) => testPercent !== null && set({ testPercent })}
      />
      <Select
        label="Choose winner by"
        data={[
          { value: 'OPENED', label: 'Open rate' },
          { value: 'CLICKED', label: 'Click rate' },
        ]}
        value={test.winnerBy}
        allowDeselect={false}
        onChange={(value) => set({ winnerBy: value === 'CLICKED' ? 'CLICKED' : 'OPENED' })}
      />
      <IntegerInput
        label="Choose winner after (minutes)"
        min={1}
        value={test.afterMinutes}
        onChange={(afterMinutes) => afterMinutes !== null && set({ afterMinutes })}
      />
    </fieldset>
  )
}
