import { TextInput } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { IconPhoto, IconSearch } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { useHasRole } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { ACCEPTED_IMAGES, useMediaFiles, useUpload } from '../../components/media/media.ts'
import { MediaGrid } from '../../components/media/MediaGrid.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Page } from '../../layout/Page.tsx'
import { plural } from '../../lib/format.ts'
import { DropZone, UploadButton } from '../../primitives/DropZone.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { Pager } from '../../primitives/Pager.tsx'
import { MediaFileAside } from './MediaFileAside.tsx'

/** The images of the workspace. Search, page and the selected file are in the URL. */
export function MediaPage() {
  const { q = '', page = 1, file } = useSearch({ from: '/w/$workspaceId/media' })
  const navigate = useNavigate({ from: '/w/$workspaceId/media' })
  const set = (search: { q?: string; page?: number; file?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...search }), replace: true })
  const canUpload = useHasRole('editor')
  const find = useRef<HTMLInputElement>(null)
  useHotkeys([['/', () => find.current?.focus()]])
  const [asked] = useDebouncedValue(q.trim(), 150)
  const { data, error, refetch } = useMediaFiles(asked, page)
  const upload = useUpload((files) => set({ q: '', page: 1, file: files[0]?.id }))
  const selected = data?.data.find(({ id }) => id === file)
  const uploadButton = canUpload && (
    <UploadButton
      accept={ACCEPTED_IMAGES}
      variant="filled"
      isBusy={upload.isPending}
      onFiles={(files) => upload.mutate(files)}
    />
  )
  const isEmpty = data?.pagination.total === 0
  return (
    <Page
      title="Media"
      meta={data && !isEmpty && <span className="t3">{plural(data.pagination.total, 'file')}</span>}
      actions={uploadButton}
      // The page keeps its columns, so that the focus stays in the grid when a file is selected.
      {...(data &&
        !isEmpty && {
          aside: selected ? (
            <MediaFileAside key={selected.id} file={selected} onClose={() => set({ file: undefined })} />
          ) : (
            <p className="t2">Select an image to see where it is used.</p>
          ),
        })}
    >
      <DropZone hint="Drop to upload" onFiles={canUpload ? (files) => upload.mutate(files) : undefined}>
        {!(isEmpty && asked === '') && (
          <TextInput
            ref={find}
            aria-label="Search files"
            placeholder="Name or alt text"
            leftSection={<IconSearch aria-hidden />}
            rightSection={<kbd aria-hidden>/</kbd>}
            value={q}
            onChange={({ currentTarget: { value } }) => set({ q: value, page: 1 })}
            style={{ maxWidth: 320, marginBottom: 16 }}
          />
        )}
        {upload.isError && <ErrorBanner error={upload.error} scrollsIntoView />}
        {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonRows rows={6} />}
        {data && !isEmpty && (
          <>
            <MediaGrid files={data.data} selected={selected?.id} onSelect={({ id }) => set({ file: id })} />
            <Pager page={page} pages={data.pagination.totalPages} onChange={(to) => set({ page: to })} />
          </>
        )}
        {isEmpty &&
          (asked === '' ? (
            <EmptyPage icon={IconPhoto} title="No images yet" action={uploadButton}>
              Images of your emails. Drop files here, or upload them. Recipients load them from this server.
            </EmptyPage>
          ) : (
            <p className="t2">No images match. Search for something else.</p>
          ))}
      </DropZone>
    </Page>
  )
}
