import { Button, SegmentedControl, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { hasErrorCode } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useCampaignTemplate } from '../../api/queries.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { zone } from '../../lib/format.ts'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { Notice } from '../../components/Notice.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { useScrollIntoView } from '../../lib/use-scroll-into-view.ts'
import { useReturnFocus } from '../../lib/use-return-focus.ts'
import { AudienceCount } from '../campaigns/AudienceFields.tsx'
import type { Campaign } from '../campaigns/campaigns.ts'

const SEND_TIMES = [
  { value: 'now', label: 'Send now' },
  { value: 'at', label: 'Schedule' },
  { value: 'localTime', label: 'Recipient’s time zone' },
] as const
type SendTime = (typeof SEND_TIMES)[number]['value']

const ZONES = Intl.supportedValuesOf('timeZone')

/** Schedules a campaign or sends it now, and shows the number of recipients. */
export function ScheduleForm({
  from,
  onDone,
}: {
  from: { campaign: Campaign; etag: string | null }
  onDone: () => void
}) {
  const { id, audience, category, templateVersion } = from.campaign
  const template = useCampaignTemplate(from.campaign)
  // The version that the user has seen; someone else may change it.
  const [etag, setSeen] = useState(from.etag)
  const isChanged = from.etag !== etag
  const send = useRef<HTMLButtonElement>(null)
  const notice = useScrollIntoView<HTMLDivElement>(from.etag, isChanged)
  useReturnFocus()
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const [when, setWhen] = useState<SendTime>('now')
  const [time, setTime] = useState('')
  const [fallbackTimeZone, setFallback] = useState<string>(zone)
  const isMissing = when !== 'now' && time === ''
  const body =
    when === 'now' || isMissing
      ? {}
      : when === 'at'
        ? { at: new Date(time).toISOString() }
        : { localTime: time, fallbackTimeZone }
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const schedule = useMutation({
    mutationFn: () =>
      callOnce([workspace.id, 'schedule', id, etag, body], (key) =>
        api.POST('/campaigns/{id}/schedule', {
          params: { path: { id }, header: { ...key, ...(etag !== null && { 'If-Match': etag }) } },
          body,
        }),
      ),
    onError: (error) => void (hasErrorCode(error, 'revision_conflict') && invalidate('campaigns')),
    onSuccess: () => void invalidate('campaigns'),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isChanged) notice.current?.scrollIntoView({ block: 'center' })
    // The field is marked before it is focused.
    flushSync(() => setWasSubmitted(isMissing))
    if (isChanged || focusInvalidField(event.currentTarget)) return
    if (!isMissing) schedule.mutate(undefined, { onSuccess: onDone })
  }
  return (
    <form className="card" onSubmit={submit} aria-label="Send campaign">
      {isChanged ? (
        <div ref={notice}>
          <Notice title="Someone else changed this campaign. It hasn’t been sent.">
            <p className="t2">Review the current content and audience below.</p>
            <div className="row">
              <Button
                onClick={() => {
                  setSeen(from.etag)
                  schedule.reset()
                  send.current?.focus()
                }}
              >
                Looks right, continue
              </Button>
            </div>
          </Notice>
        </div>
      ) : (
        schedule.isError && <ErrorBanner error={schedule.error} scrollsIntoView />
      )}
      <fieldset className="plainFields formFields" disabled={schedule.isPending}>
        <SegmentedControl
          aria-label="Send time"
          value={when}
          onChange={(value) => setWhen(value)}
          data={SEND_TIMES.map((each) => each)}
        />
        {when !== 'now' && (
          <TextInput
            type="datetime-local"
            label="Date and time"
            description={
              when === 'at' ? `In your time zone, ${zone}.` : 'In each contact’s time zone (attribute timezone).'
            }
            error={wasSubmitted && isMissing ? 'Choose a date and time' : undefined}
            value={time}
            // Without it, a year takes six digits.
            max="9999-12-31T23:59"
            onChange={({ currentTarget: { value } }) => setTime(value)}
          />
        )}
        {when === 'localTime' && (
          <SearchableSelect
            label="Time zone if unknown"
            data={ZONES.includes(zone) ? ZONES : [zone, ...ZONES]}
            value={fallbackTimeZone}
            onChange={(value) => value !== null && setFallback(value)}
          />
        )}
      </fieldset>
      {template?.isNewer && (
        <p role="status">
          This draft uses version {templateVersion} of {template.name}. Edit the draft to use version {template.version}
          .
        </p>
      )}
      <AudienceCount audience={audience} category={category} />
      <p className="small t2">
        The audience is fixed when sending starts. You can pause or cancel afterwards, but sent emails can’t be
        recalled.
      </p>
      <div className="row">
        <Button ref={send} type="submit" variant="filled" loading={schedule.isPending}>
          {when === 'now' ? 'Send campaign now' : 'Schedule campaign'}
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={schedule.isPending}>
          Cancel
        </Button>
        <CurlButton call={{ method: 'POST', path: `/campaigns/${id}/schedule`, body }} />
      </div>
    </form>
  )
}
