import { Button, SegmentedControl, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
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
  { value: 'now', label: 'Now' },
  { value: 'at', label: 'At a time' },
  { value: 'localTime', label: 'Where each contact is' },
] as const
type SendTime = (typeof SEND_TIMES)[number]['value']

const ZONES = Intl.supportedValuesOf('timeZone')

/** Asks when a campaign goes, and tells how many it goes to. */
export function ScheduleForm({
  from,
  onDone,
}: {
  from: { campaign: Campaign; etag: string | null }
  onDone: () => void
}) {
  const { id, audience, templateVersion } = from.campaign
  const template = useCampaignTemplate(from.campaign)
  // As it was looked at: somebody else can change it in any moment.
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
    onError: (error) => void (hasErrorCode(error, 'changed_meanwhile') && invalidate('campaigns')),
    onSuccess: () => void invalidate('campaigns'),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isChanged) notice.current?.scrollIntoView({ block: 'center' })
    if (isChanged || focusInvalidField(event.currentTarget)) return
    setWasSubmitted(isMissing)
    if (!isMissing) schedule.mutate(undefined, { onSuccess: onDone })
  }
  return (
    <form className="card" onSubmit={submit} aria-label="When it is sent">
      {isChanged ? (
        <div ref={notice}>
          <Notice title="Somebody else has changed it: nothing is sent yet">
            <p className="t2">What it says and whom it is for is below, as it is now.</p>
            <div className="row">
              <Button
                onClick={() => {
                  setSeen(from.etag)
                  schedule.reset()
                  send.current?.focus()
                }}
              >
                It is as it is to be
              </Button>
            </div>
          </Notice>
        </div>
      ) : (
        schedule.isError && <ErrorBanner error={schedule.error} scrollsIntoView />
      )}
      <fieldset className="plainFields formFields" disabled={schedule.isPending}>
        <SegmentedControl
          aria-label="When"
          value={when}
          onChange={(value) => setWhen(value)}
          data={SEND_TIMES.map((each) => each)}
        />
        {when !== 'now' && (
          <TextInput
            type="datetime-local"
            label="Day and time"
            description={when === 'at' ? `Your time, ${zone}.` : 'By metadata.timezone of each contact.'}
            error={wasSubmitted && isMissing ? 'Say a day and a time' : undefined}
            value={time}
            onChange={({ currentTarget: { value } }) => setTime(value)}
          />
        )}
        {when === 'localTime' && (
          <SearchableSelect
            label="Whose zone is not known"
            data={ZONES.includes(zone) ? ZONES : [zone, ...ZONES]}
            value={fallbackTimeZone}
            onChange={(value) => value !== null && setFallback(value)}
          />
        )}
      </fieldset>
      {template?.isNewer && (
        <p role="status">
          It says version {templateVersion} of {template.name}, and there is version {template.version} by now: edit the
          draft to take that.
        </p>
      )}
      <AudienceCount audience={audience} />
      <p className="small t2">
        Whom it is for is decided when it begins. From then on it can be paused and cancelled, and what was sent is
        sent.
      </p>
      <div className="row">
        <Button ref={send} type="submit" variant="filled" loading={schedule.isPending}>
          {when === 'now' ? 'Send campaign now' : 'Schedule campaign'}
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={schedule.isPending}>
          Not yet
        </Button>
        <CurlButton call={{ method: 'POST', path: `/campaigns/${id}/schedule`, body }} />
      </div>
    </form>
  )
}
