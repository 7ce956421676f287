import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { useServiceStatus } from '../../api/queries.ts'
import type { Schemas } from '../../api/client.ts'
import { useHasRole } from '../../api/workspace.tsx'
import { useContactEmail } from '../../components/ContactLink.tsx'
import { SkipWaitItem } from '../../components/SkipWaitButton.tsx'
import { effectOfNextStep } from '../contact/next-step.ts'

type Enrollment = Schemas['Enrollment']

/** The actions on an enrollment. */
export function EnrollmentMenu({
  enrollment,
  automation,
  showsDecisions,
  onDecisions,
  onRemove,
}: {
  enrollment: Enrollment
  automation: Schemas['Automation'] | undefined
  showsDecisions: boolean
  onDecisions: (isShown: boolean) => void
  onRemove: () => void
}) {
  const { contactId, automationId, status, paused, nextAt, nextStepId } = enrollment
  const canEdit = useHasRole('editor')
  const email = useContactEmail(contactId)
  const { data: service } = useServiceStatus()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Actions for ${email} in ${automation?.name ?? 'the automation'}`}
        >
          <IconDots aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onDecisions(!showsDecisions)}>
          {showsDecisions ? 'Hide decisions' : 'Show decisions'}
        </Menu.Item>
        {status === 'ACTIVE' && (
          <SkipWaitItem
            automationId={automationId}
            contactId={contactId}
            nextAt={paused ? null : nextAt}
            effect={effectOfNextStep(automation, nextStepId)}
          />
        )}
        {service?.temporal.uiUrl && (
          <Menu.Item component="a" href={workflowPage(service.temporal, enrollment)} target="_blank" rel="noreferrer">
            Open workflow in Temporal UI
          </Menu.Item>
        )}
        {status === 'ACTIVE' && canEdit && (
          <Menu.Item color="bad" onClick={onRemove}>
            Remove from automation…
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

const workflowPage = ({ uiUrl, namespace }: Schemas['ServiceStatus']['temporal'], { workflowId }: Enrollment): string =>
  `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`
