import { Button, Drawer } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import { Pager } from '../../primitives/Pager.tsx'
import type { TemplateDraft } from './use-template-draft.ts'

/** Lists the versions of a template. Restoring one puts it into the form, and saving that makes a new version. */
export function VersionsPanel({
  draft,
  canEdit,
  onClose,
}: {
  draft: TemplateDraft
  canEdit: boolean
  onClose: () => void
}) {
  const { api } = useWorkspace()
  const { id, version: newest } = draft.template
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useWorkspaceQuery(
    ['templates', id, 'versions', newest, page],
    async (on, signal) => {
      const params = { path: { id }, query: { page, limit: 20 } }
      return (await on.GET('/templates/{id}/versions', { params, signal })).data
    },
  )
  const restore = useMutation({
    mutationFn: async (version: number) =>
      (await api.GET('/templates/{id}', { params: { path: { id }, query: { version: String(version) } } })).data.data,
    onSuccess: (version) => {
      draft.show(version)
      onClose()
    },
  })
  return (
    <Drawer opened onClose={onClose} position="right" title="Versions" closeButtonProps={{ 'aria-label': 'Close' }}>
      <p className="t2" style={{ marginBottom: 12 }}>
        {canEdit
          ? 'Restoring a version replaces the content of the editor. You can undo it, and nothing changes until you save.'
          : 'Each time the template was saved.'}
      </p>
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {restore.isError && <ErrorBanner error={restore.error} />}
      {!data && !error && <SkeletonRows rows={4} />}
      <ul>
        {data?.data.map(({ version, createdAt }) => (
          <li key={version} className="row" style={{ minHeight: 44, borderBottom: '1px solid var(--line)' }}>
            <span className="strong">Version {version}</span>
            <span className="small t2">
              <Time at={createdAt} />
            </span>
            <span className="push">
              {version === newest && !draft.isDirty ? (
                <span className="small t2">Current</span>
              ) : (
                canEdit && (
                  <Button
                    aria-label={`Restore version ${version}`}
                    loading={restore.isPending && restore.variables === version}
                    onClick={() => restore.mutate(version)}
                  >
                    Restore
                  </Button>
                )
              )}
            </span>
          </li>
        ))}
      </ul>
      {data && <Pager page={page} pages={data.pagination.totalPages} onChange={setPage} />}
    </Drawer>
  )
}
