import { Button } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay, useRead, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { Delete } from '../../parts/Delete.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Page } from '../../shell/Page.tsx'
import { TemplateForm } from './TemplateForm.tsx'

/** A template: what it says, as it is written and as it comes. */
export function TemplatePage() {
  const { templateId } = useParams({ from: '/w/$workspaceId/templates/$templateId' })
  const { api, workspace } = useWorkspace()
  const navigate = useNavigate()
  const readAgain = useReadAgain()
  const may = useMay('editor')
  const [isDeleting, setDeleting] = useState(false)
  const { data, error, refetch } = useRead(['templates', templateId], async (on, signal) => {
    const { data: answer, response } = await on.GET('/templates/{id}', { params: { path: { id: templateId } }, signal })
    return { template: answer.data, etag: response.headers.get('etag') }
  })
  if (!data) {
    return (
      <Page title="Template" narrow>
        {error ? <Problem error={error} again={() => void refetch()} /> : <Rows rows={8} />}
      </Page>
    )
  }
  const remove = async () => {
    await api.DELETE('/templates/{id}', { params: { path: { id: templateId } } })
    await navigate({ to: '/w/$workspaceId/templates', params: { workspaceId: workspace.id }, ignoreBlocker: true })
    void readAgain('templates', 'page')
  }
  return (
    <TemplateForm
      key={templateId}
      from={data}
      actions={
        may && (
          <Button
            variant="subtle"
            color="gray"
            aria-expanded={isDeleting}
            onClick={() => setDeleting((isOpen) => !isOpen)}
          >
            Delete…
          </Button>
        )
      }
    >
      {isDeleting && (
        <Delete
          what="the template"
          path={`/templates/${templateId}`}
          says="It is gone with its versions. Automations and campaigns keep what they have of it."
          call={remove}
          onDone={() => setDeleting(false)}
        />
      )}
    </TemplateForm>
  )
}
