import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ConfirmDelete } from '../../components/ConfirmDelete.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Page } from '../../layout/Page.tsx'
import { TemplateEditor } from './TemplateEditor.tsx'
import { toLoaded } from './use-template-draft.ts'

export function TemplatePage() {
  const { templateId } = useParams({ from: '/w/$workspaceId/templates/$templateId' })
  const { api, workspace } = useWorkspace()
  const navigate = useNavigate()
  const invalidate = useInvalidate()
  const [isDeleting, { open, close }] = useDisclosure()
  const { data, error, refetch } = useWorkspaceQuery(['templates', templateId], async (on, signal) =>
    toLoaded(await on.GET('/templates/{id}', { params: { path: { id: templateId } }, signal })),
  )
  if (!data) {
    return (
      <Page title="Template" narrow>
        {error ? <ErrorBanner error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} />}
      </Page>
    )
  }
  const remove = async () => {
    await api.DELETE('/templates/{id}', { params: { path: { id: templateId } } })
    await navigate({ to: '/w/$workspaceId/templates', params: { workspaceId: workspace.id }, ignoreBlocker: true })
    void invalidate('templates', 'page')
  }
  return (
    <TemplateEditor key={templateId} from={data} onDelete={open}>
      {isDeleting && (
        <ConfirmDelete
          object="template"
          path={`/templates/${templateId}`}
          description="All its versions are deleted. Automations and campaigns keep the content they use."
          action={remove}
          onDone={close}
        />
      )}
    </TemplateEditor>
  )
}
