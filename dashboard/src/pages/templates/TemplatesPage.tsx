import { Button } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { readPages } from '../../api/queries.ts'
import { useHasRole, useWorkspaceQuery, useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Page } from '../../layout/Page.tsx'
import { NewTemplateForm } from './NewTemplate.tsx'

const KIND_WORDS = { EMAIL: 'Email', LAYOUT: 'Layout', PARTIAL: 'Partial' } as const

export function TemplatesPage() {
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const canEdit = useHasRole('editor')
  const [isCreating, setIsCreating] = useState(false)
  useHotkeys([['n', () => canEdit && setIsCreating(true)]])
  const { data, error, refetch } = useWorkspaceQuery(['templates', 'page'], (api, signal) =>
    readPages((query) => api.GET('/templates', { params: { query }, signal })),
  )
  const show = (templateId: string) =>
    void navigate({ to: '/w/$workspaceId/templates/$templateId', params: { workspaceId: workspace.id, templateId } })
  return (
    <Page
      title="Templates"
      narrow
      actions={
        canEdit && (
          <Button
            variant="filled"
            leftSection={<IconPlus aria-hidden />}
            disabled={isCreating}
            onClick={() => setIsCreating(true)}
          >
            New template
          </Button>
        )
      }
    >
      {isCreating && <NewTemplateForm onCreated={show} onCancel={() => setIsCreating(false)} />}
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows rows={6} />}
      {data?.length === 0 && (
        <p className="t2">
          Design an email once and reuse it in campaigns and automations. Create your first template.
        </p>
      )}
      {data && data.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>Name</th>
              <th>Type</th>
              <th className="wide">Subject</th>
              <th className="num">Version</th>
              <th className="num wide">Updated</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ id, name, kind, subject, version, updatedAt }) => (
              <tr key={id}>
                <td className="strong">
                  <Link
                    to="/w/$workspaceId/templates/$templateId"
                    params={{ workspaceId: workspace.id, templateId: id }}
                  >
                    {name}
                  </Link>
                </td>
                <td className="t2">{KIND_WORDS[kind]}</td>
                <td className="wide t2">{subject ?? ''}</td>
                <td className="num">{version}</td>
                <td className="num wide t2">
                  <Time at={updatedAt} as="date" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Page>
  )
}
