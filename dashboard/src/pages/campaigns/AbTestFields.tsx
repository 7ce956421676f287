import { Button, Select, TextInput } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { WholeNumber } from '../../parts/WholeNumber.tsx'

export type AbTest = NonNullable<Schemas['CampaignInput']['abTest']>

const NEW: AbTest = { variants: [{ subject: '' }], testPercent: 20, winnerBy: 'OPENED', afterMinutes: 240 }
const MOST_VARIANTS = 3

/** What a campaign's A/B test says besides its own subject, to how many, and by what the rest is decided. */
export function AbTestFields({ test, onChange }: { test: AbTest | null; onChange: (test: AbTest | null) => void }) {
  if (!test)
    return (
      <div>
        <Button variant="subtle" color="gray" onClick={() => onChange(NEW)}>
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
            onChange={({ currentTarget: { value } }) =>
              set({ variants: test.variants.map((each, at) => (at === n ? { subject: value } : each)) })
            }
          />
        ),
      )}
      <div className="row">
        {test.variants.length < MOST_VARIANTS && (
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
      <WholeNumber
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
      <WholeNumber
        label="It is chosen after, in minutes"
        min={1}
        value={test.afterMinutes}
        onChange={(afterMinutes) => afterMinutes !== null && set({ afterMinutes })}
      />
    </fieldset>
  )
}
