import { useSender } from '../../../api/queries.ts'
import { Button, Modal } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { hasErrorCode } from '../../../api/client.ts'
import { callOnce } from '../../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../../api/workspace.tsx'
import { CurlButton } from '../../../components/CurlButton.tsx'
import { ErrorBanner } from '../../../components/ErrorBanner.tsx'
import { count, minuteOf, plural } from '../../../lib/format.ts'
import { useReturnFocus } from '../../../lib/use-return-focus.ts'
import { type Check, worstOf } from '../../../primitives/Checklist.tsx'
import { warmUpStatus } from '../../sender/warm-up-status.ts'
import { describeTime, scheduleBodyOf, type SendTime } from './send-time.ts'
import classes from './composer.module.css'
import type { AudienceCount } from './use-audience-count.ts'
import type { CampaignDraft, LoadedCampaign } from './use-campaign-draft.ts'

/** Summarizes the email and its recipients, with the one button that sends it. */
export function Summary({
  draft,
  audience,
  time,
  checks,
  onFix,
  hasInvalidField,
}: {
  draft: CampaignDraft
  audience: AudienceCount
  time: SendTime
  checks: readonly Check[]
  /** Shows what has to be fixed. */
  onFix: () => void
  /** Focuses a field with invalid input, if there is one. */
  hasInvalidField: () => boolean
}) {
  // The version that the dialog asks about. Another person's change is a conflict.
  const [asked, setAsked] = useState<LoadedCampaign>()
  const { fields } = draft
  const { recipients, at } = audience
  const { data: sender } = useSender()
  const problems = checks.filter(({ state }) => state === 'error').length
  const contacts = recipients === undefined ? 'contacts' : plural(recipients, 'contact')
  const press = async () => {
    if (hasInvalidField()) return
    if (problems > 0) return onFix()
    if (await draft.save.flush()) setAsked(draft.loaded())
  }
  return (
    <div className={classes.summary}>
      <p className="small t2">Recipients{at && `, counted ${minuteOf(at)}`}</p>
      <p className={classes.figure}>{recipients === undefined ? '–' : count(recipients)}</p>
      <dl className="facts" style={{ margin: '16px 0' }}>
        <dt>From</dt>
        <dd>{sender?.fromAddress ?? 'Default sender'}</dd>
        <dt>Subject</dt>
        <dd>
          {fields.abTest
            ? plural(fields.abTest.variants.length + 1, 'variant')
            : fields.subject || (fields.templateId ? 'Of the template' : '–')}
        </dd>
        <dt>Send time</dt>
        <dd>{describeTime(time)}</dd>
        {fields.throttlePerHour !== null && (
          <>
            <dt>Throttle</dt>
            <dd>{count(fields.throttlePerHour)} per hour</dd>
          </>
        )}
        {fields.category === 'marketing' && sender?.warmUp?.allowedToday != null && (
          <>
            <dt>Warm-up</dt>
            <dd>{warmUpStatus(sender.warmUp)}</dd>
          </>
        )}
      </dl>
      <Button variant="filled" fullWidth onClick={() => void press()}>
        {problems > 0
          ? `Fix ${plural(problems, 'problem')}`
          : `${time.kind === 'now' ? 'Send to' : 'Schedule for'} ${contacts}…`}
      </Button>
      <p className="small t2" style={{ marginTop: 8 }}>
        {worstOf(checks) === 'warning' && 'There are warnings. You can still send. '}
        The audience is counted again and fixed when sending starts.
        {time.kind !== 'now' && ' Until then, you can unschedule.'}
      </p>
      {asked && (
        <SendDialog draft={draft} asked={asked} audience={audience} time={time} onClose={() => setAsked(undefined)} />
      )}
    </div>
  )
}

/** Asks before sending, with a new count. */
function SendDialog({
  draft,
  asked: { campaign, etag },
  audience,
  time,
  onClose,
}: {
  draft: CampaignDraft
  asked: LoadedCampaign
  audience: AudienceCount
  time: SendTime
  onClose: () => void
}) {
  useReturnFocus()
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const body = scheduleBodyOf(time)
  const path = `/campaigns/${campaign.id}/schedule`
  const send = useMutation({
    mutationFn: () =>
      callOnce([workspace.id, 'schedule', campaign.id, etag, body], (key) =>
        api.POST('/campaigns/{id}/schedule', {
          params: { path: { id: campaign.id }, header: { ...key, ...(etag !== null && { 'If-Match': etag }) } },
          body,
        }),
      ),
    onSuccess: async () => {
      await invalidate('campaigns')
      onClose()
    },
  })
  const isChanged = hasErrorCode(send.error, 'revision_conflict')
  const contacts = audience.recipients === undefined ? 'all recipients' : plural(audience.recipients, 'contact')
  const label = time.kind === 'now' ? `Send to ${contacts}` : `Schedule for ${contacts}`
  return (
    <Modal opened onClose={onClose} title={label} centered>
      <p>
        “{campaign.name}”{draft.fields.abTest && `, ${plural(draft.fields.abTest.variants.length + 1, 'subject')},`}{' '}
        {time.kind === 'now' ? 'will be sent now' : `will be sent on ${describeTime(time)}`}. Sent emails can’t be
        recalled.
      </p>
      {isChanged ? (
        <p role="alert" style={{ color: 'var(--bad)' }}>
          Someone else changed this campaign. It hasn’t been sent.
        </p>
      ) : (
        send.isError && <ErrorBanner error={send.error} scrollsIntoView />
      )}
      <div className="row" style={{ marginTop: 16, flexWrap: 'wrap' }}>
        {isChanged ? (
          <Button variant="filled" onClick={() => void draft.reload().then(onClose)}>
            Show the change
          </Button>
        ) : (
          <Button variant="filled" loading={send.isPending} onClick={() => send.mutate()} data-autofocus>
            {label}
          </Button>
        )}
        <Button variant="subtle" color="gray" onClick={onClose} disabled={send.isPending}>
          Cancel
        </Button>
        <CurlButton call={{ method: 'POST', path, body }} />
      </div>
    </Modal>
  )
}
