import { Button, Select, TextInput } from '@mantine/core'
import { DriplineError, type Schemas } from '../../api/client.ts'
import { useScrollIntoView } from '../../lib/use-scroll-into-view.ts'
import { IntegerInput } from '../../components/IntegerInput.tsx'

export type AbTest = NonNullable<Schemas['CampaignInput']['abTest']>

const DEFAULT_TEST: AbTest = { variants: [{ subject: '' }], testPercent: 20, winnerBy: 'OPENED', afterMinutes: 240 }
const MAX_VARIANTS = 3

/** What is wrong with a variant, by what the service has answered. */
export function variantErrorOf(error: unknown): { n: number; says: string } | undefined {
  if (!(error instanceof DriplineError)) return undefined
  const n = /^\/abTest\/variants\/(\d+)\/subject$/.exec(error.param ?? '')?.[1]
  return n === undefined ? undefined : { n: Number(n), says: error.message.replace(/^\S+ is /, 'This is ') }
}

/**
 * What a campaign's A/B test says besides its own subject, to how many, and by what the rest is decided.
 * @param error what the service has answered, which can be of one of them
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
  const told = useScrollIntoView<HTMLInputElement>(error, wrong !== undefined)
  if (!test)
    return (
      <div>
        <Button variant="subtle" color="gray" onClick={() => onChange(DEFAULT_TEST)}>
          Try other subjects…
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
            Variant {n + 1}: a template, chosen by the API.
          </p>
        ) : (
          <TextInput
            key={n}
            label={`Subject ${n + 2}`}
            value={variant.subject ?? ''}
            {...(wrong?.n === n && { error: wrong.says, 'data-told': true, ref: told })}
            onChange={({ currentTarget: { value } }) =>
              set({ variants: test.variants.map((each, at) => (at === n ? { subject: value } : each)) })
            }
          />
        ),
      )}
      <div className="row">
        {test.variants.length < MAX_VARIANTS && (
          <Button variant="subtle" color="gray" onClick={() => set({ variants: [...test.variants, { subject: '' }] })}>
            One more
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
          {test.variants.length > 1 ? 'One less' : 'No test'}
        </Button>
      </div>
      <IntegerInput
        label="To how many of a hundred"
        description="By lot, each of them one. The rest gets the best one."
        min={1}
        max={100}
        value={test.testPercent}
        onChange={(testPercent) => testPercent !== null && set({ testPercent })}
      />
      <Select
        label="The best one is"
        data={[
          { value: 'OPENED', label: 'the one that most open' },
          { value: 'CLICKED', label: 'the one of which most follow a link' },
        ]}
        value={test.winnerBy}
        allowDeselect={false}
        onChange={(value) => set({ winnerBy: value === 'CLICKED' ? 'CLICKED' : 'OPENED' })}
      />
      <IntegerInput
        label="It is chosen after, in minutes"
        min={1}
        value={test.afterMinutes}
        onChange={(afterMinutes) => afterMinutes !== null && set({ afterMinutes })}
      />
    </fieldset>
  )
}
