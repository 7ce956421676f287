import { useLocalStorage } from '@mantine/hooks'
import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { ConflictDialog } from '../../../components/ConflictDialog.tsx'
import { ErrorBanner } from '../../../components/ErrorBanner.tsx'
import { StatusBadge } from '../../../components/StatusBadge.tsx'
import { UnsavedChangesGuard } from '../../../components/UnsavedChanges.tsx'
import { ToList } from '../../../layout/ToList.tsx'
import { Page } from '../../../layout/Page.tsx'
import { focusInvalidField } from '../../../lib/has-invalid-field.ts'
import { stableJson } from '../../../lib/stable-json.ts'
import { Checklist, worstOf } from '../../../primitives/Checklist.tsx'
import { SaveStatus } from '../../../primitives/SaveStatus.tsx'
import { Step, Steps } from '../../../primitives/Steps.tsx'
import { CAMPAIGN_STATUS } from '../../campaigns/campaigns.ts'
import { CampaignPreview } from '../CampaignPreview.tsx'
import { AudienceStep } from './AudienceStep.tsx'
import { EmailStep } from './EmailStep.tsx'
import { bodyOf } from './fields.ts'
import { ScheduleStep } from './ScheduleStep.tsx'
import { Summary } from './Summary.tsx'
import { SEND_NOW } from './send-time.ts'
import { useAudienceCount } from './use-audience-count.ts'
import { type LoadedCampaign, useCampaignDraft } from './use-campaign-draft.ts'
import { useChecks } from './use-checks.tsx'

/** Composes a campaign: who gets it, the email, when, and the checks before it is sent. The draft saves itself. */
export function Composer({
  from,
  actions,
  children,
}: {
  from: LoadedCampaign
  actions: ReactNode
  /** Stands above the sections. */
  children?: ReactNode
}) {
  const draft = useCampaignDraft(from)
  const { fields, save, theirs, form } = draft
  const audience = useAudienceCount(fields)
  // Kept for the draft, which has no send time until it is scheduled.
  const [time, setTime] = useLocalStorage({ key: `send-time ${from.campaign.id}`, defaultValue: SEND_NOW })
  const content = stableJson([fields.subject, bodyOf(fields), fields.text, fields.templateId, fields.previewText])
  const [testedContent, setTestedContent] = useState<string>()
  const checks = useChecks(draft, audience, time, testedContent === content)
  const review = useRef<HTMLDivElement>(null)
  const sections = useRef<HTMLDivElement>(null)
  const ofEmail = checks.filter(({ id }) => ['content', 'variables', 'links', 'size'].includes(id))
  const passed = checks.filter(({ state }) => state === 'ok').length
  const error = save.state.kind === 'failed' && Object.keys(form.errors).length === 0 ? save.state.error : undefined
  return (
    <Page
      parent={<ToList list="campaigns">Campaigns</ToList>}
      title={fields.name || 'Campaign'}
      meta={
        <>
          <StatusBadge status={CAMPAIGN_STATUS.DRAFT} />
          <SaveStatus state={save.state} isDirty={save.isDirty} onRetry={() => void save.flush()} />
        </>
      }
      actions={actions}
      aside={
        <Summary
          draft={draft}
          audience={audience}
          time={time}
          checks={checks}
          onFix={() => review.current?.scrollIntoView({ block: 'start' })}
          hasInvalidField={() => sections.current !== null && focusInvalidField(sections.current)}
        />
      }
    >
      <UnsavedChangesGuard isDirty={save.isDirty && save.state.kind === 'failed'} isSending={false} />
      {theirs ? (
        <ConflictDialog
          description="It was saved after you started editing."
          onUseTheirs={draft.takeTheirs}
          onSaveMine={() => void draft.keepMine()}
        />
      ) : (
        error !== undefined && <ErrorBanner error={error} onRetry={() => void save.flush()} />
      )}
      {children}
      <div ref={sections}>
        <Steps>
          <AudienceStep draft={draft} audience={audience} />
          <EmailStep
            key={draft.taken}
            draft={draft}
            recipients={audience.recipients}
            state={worstOf(ofEmail)}
            onTestSent={() => setTestedContent(content)}
          >
            <CampaignPreview
              campaign={{
                ...draft.loaded().campaign,
                ...fields,
                ...(fields.templateId === null ? bodyOf(fields) : { html: null, text: null }),
              }}
              onTestSent={() => setTestedContent(content)}
            />
          </EmailStep>
          <ScheduleStep draft={draft} time={time} onChange={setTime} />
          <div ref={review}>
            <Step title="Review" state={worstOf(checks)} meta={`${passed} of ${checks.length} checks pass`}>
              <Checklist checks={checks} />
            </Step>
          </div>
        </Steps>
      </div>
    </Page>
  )
}
