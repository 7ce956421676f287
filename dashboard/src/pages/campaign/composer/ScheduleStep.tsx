import { SegmentedControl, Switch, TextInput } from '@mantine/core'
import { IntegerInput } from '../../../components/IntegerInput.tsx'
import { SearchableSelect } from '../../../components/SearchableSelect.tsx'
import { zone } from '../../../lib/format.ts'
import { Step } from '../../../primitives/Steps.tsx'
import type { CampaignDraft } from './use-campaign-draft.ts'
import { isMissing, isPast, type SendTime } from './send-time.ts'

const ZONES = Intl.supportedValuesOf('timeZone')
const PER_HOUR = 10_000

/** Chooses when the campaign is sent, and how fast. */
export function ScheduleStep({
  draft: { form, fields },
  time,
  onChange,
}: {
  draft: CampaignDraft
  time: SendTime
  onChange: (time: SendTime) => void
}) {
  const { throttlePerHour } = fields
  return (
    <Step title="Schedule" state={isMissing(time) || isPast(time) ? 'error' : 'ok'}>
      <SegmentedControl
        aria-label="Send time"
        value={time.kind}
        onChange={(kind) => onChange({ ...time, kind })}
        data={[
          { value: 'now', label: 'Send now' },
          { value: 'at', label: 'At one time' },
          { value: 'local', label: 'In each time zone' },
        ]}
      />
      {time.kind !== 'now' && (
        <TextInput
          type="datetime-local"
          label="Date and time"
          description={time.kind === 'at' ? `In your time zone, ${zone}.` : 'In the time zone of each contact.'}
          value={time.at}
          // Without it, a year takes six digits.
          max="9999-12-31T23:59"
          onChange={({ currentTarget: { value } }) => onChange({ ...time, at: value })}
        />
      )}
      {time.kind === 'local' && (
        <SearchableSelect
          label="Time zone if unknown"
          data={ZONES.includes(zone) ? ZONES : [zone, ...ZONES]}
          value={time.fallbackTimeZone}
          onChange={(value) => value !== null && onChange({ ...time, fallbackTimeZone: value })}
        />
      )}
      <Switch
        label="Throttle"
        description="Send at most this many emails per hour."
        checked={throttlePerHour !== null}
        onChange={({ currentTarget: { checked } }) => form.setFieldValue('throttlePerHour', checked ? PER_HOUR : null)}
      />
      {throttlePerHour !== null && (
        <IntegerInput
          label="Emails per hour"
          min={1}
          max={10_000_000}
          value={throttlePerHour}
          onChange={(value) => value !== null && form.setFieldValue('throttlePerHour', value)}
        />
      )}
    </Step>
  )
}
