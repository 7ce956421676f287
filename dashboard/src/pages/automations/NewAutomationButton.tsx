import { Button } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useRef } from 'react'
import { errorMessage, isOutcomeUnknown, type Schemas } from '../../api/client.ts'
import { callOnce, isReplay } from '../../api/call-once.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { lazyPart } from '../../lib/load-with-retry.ts'

const NewAutomationDialog = lazyPart(async () => (await import('./NewAutomationDialog.tsx')).default)

/** Creates an automation from a recipe and opens it in the builder. */
export function NewAutomationButton() {
  const { api, workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const navigate = useNavigate()
  const invalidate = useInvalidate()
  const [isOpen, { open, close }] = useDisclosure()
  /** Prevents a second request before the pending state is rendered. */
  const isAt = useRef(false)
  const create = useMutation({
    mutationFn: async (body: Schemas['AutomationInput']) => {
      const { data, response } = await callOnce([workspace.id, 'automation', body], (header) =>
        api.POST('/automations', { params: { header }, body }),
      )
      return { ...data.data, was: isReplay(response) }
    },
    onError(error) {
      const title = isOutcomeUnknown(error) ? 'Couldn’t confirm that it was created' : 'Automation not created'
      notifications.show({ color: 'bad', title, message: errorMessage(error) })
      void invalidate('automations')
    },
  })
  const goTo = ({ id: automationId, was }: { id: string; was: boolean }) => {
    if (was) notifications.show({ message: 'Already created by your previous click.' })
    void navigate({
      to: '/w/$workspaceId/automations/$automationId',
      params: { workspaceId: workspace.id, automationId },
    }).finally(() => (isAt.current = false))
  }
  // Once, even if the key is repeated. Does not navigate if the user left the page.
  const begin = (body: Schemas['AutomationInput']) => {
    if (isAt.current) return
    isAt.current = true
    create.mutate(body, { onSuccess: goTo, onError: () => (isAt.current = false) })
  }
  useHotkeys([['n', () => canEdit && open()]])
  if (!canEdit) return null
  return (
    <>
      <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={open}>
        New automation
      </Button>
      {isOpen && (
        <Suspense>
          <NewAutomationDialog onUse={begin} isPending={create.isPending} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
