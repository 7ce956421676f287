import { Button, Menu, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { errorMessage } from '../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../api/workspace.tsx'
import { momentOf } from '../lib/format.ts'

interface Wait {
  automationId: string
  contactId: string
  /** When the wait ends; `null` if there is none. */
  nextAt: string | null
  /** The next thing that happens, such as "Sends “Half of your trial”". */
  effect: string
}

/** Ends the present wait of a contact. Returns nothing where that is not possible: outside of test workspaces, or without a wait. */
function useSkipWait({ automationId, contactId, nextAt, effect }: Wait) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const canEdit = useHasRole('editor')
  const skip = useMutation({
    mutationFn: () =>
      api.POST('/automations/{id}/enrollments/{contactId}/skip', { params: { path: { id: automationId, contactId } } }),
    onSuccess: () => notifications.show({ message: `${effect} now.` }),
    onError: (error) => notifications.show({ color: 'bad', message: errorMessage(error) }),
    onSettled: () => Promise.all([invalidate('enrollments'), invalidate('contacts', contactId)]),
  })
  const end = nextAt === null ? undefined : new Date(nextAt)
  if (workspace.mode !== 'test' || !canEdit || !end || end.getTime() <= Date.now()) return undefined
  return { skip, sentence: `${effect} now instead of ${momentOf(end)}.` }
}

/** A button that skips a wait, with a sentence about what happens then. */
export function SkipWaitButton({ name, ...wait }: Wait & { /** For screen readers. */ name: string }) {
  const { skip, sentence } = useSkipWait(wait) ?? {}
  if (!skip) return null
  return (
    <Tooltip label={sentence} events={{ hover: true, focus: true, touch: true }}>
      <Button
        variant="subtle"
        color="gray"
        aria-label={name}
        aria-description={sentence}
        loading={skip.isPending}
        onClick={() => skip.mutate()}
      >
        Skip wait
      </Button>
    </Tooltip>
  )
}

/** The same in the menu of a row. */
export function SkipWaitItem(wait: Wait) {
  const { skip, sentence } = useSkipWait(wait) ?? {}
  if (!skip) return null
  return (
    <Menu.Item onClick={() => skip.mutate()}>
      Skip wait
      <span className="small t3" style={{ display: 'block' }}>
        {sentence}
      </span>
    </Menu.Item>
  )
}
