import { Button, Modal, Textarea, TextInput } from '@mantine/core'
import { useDebouncedState } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useHasRole } from '../../api/workspace.tsx'
import { useReturnFocus } from '../../lib/use-return-focus.ts'
import { DropZone, UploadButton } from '../../primitives/DropZone.tsx'
import { ErrorBanner } from '../ErrorBanner.tsx'
import { ACCEPTED_IMAGES, type MediaFile, sizeOf, sourceOf, useMediaFiles, useUpload } from './media.ts'
import { MediaGrid } from './MediaGrid.tsx'
import classes from './media.module.css'

/** An image for an email. */
export interface ChosenImage {
  url: string
  alt: string
}

/** Inserts an image: one of the library, or one that is uploaded, dropped or pasted here. */
export function MediaDialog({
  purpose = 'email',
  current,
  onChoose,
  onClose,
}: {
  /** A logo has no alt text of its own. */
  purpose?: 'email' | 'logo'
  /** The image that the block shows. */
  current: ChosenImage
  onChoose: (image: ChosenImage) => void
  onClose: () => void
}) {
  useReturnFocus()
  const [search, setSearch] = useDebouncedState('', 150)
  const [{ chosen, alt }, setChoice] = useState<{ chosen?: MediaFile; alt: string }>({ alt: current.alt })
  const canUpload = useHasRole('editor')
  const { data, error, refetch } = useMediaFiles(search)
  const select = (file: MediaFile) =>
    // The text of another image does not describe this one.
    setChoice({ chosen: file, alt: file.url === current.url ? current.alt : (file.alt ?? '') })
  const upload = useUpload((files) => files[0] && select(files[0]))
  const shown = chosen ?? data?.data.find(({ url }) => url === current.url)
  const insert = (file: MediaFile, text: string) => {
    onChoose({ url: file.url, alt: text })
    onClose()
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={purpose === 'logo' ? 'Choose logo' : 'Insert image'}
      size={920}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <DropZone hint="Drop to upload and select it" onFiles={canUpload ? (files) => upload.mutate(files) : undefined}>
        <div className={classes.dialog}>
          <div>
            <div className="row" style={{ marginBottom: 12 }}>
              <TextInput
                aria-label="Search files"
                placeholder="Name or alt text"
                leftSection={<IconSearch aria-hidden />}
                onChange={({ currentTarget: { value } }) => setSearch(value.trim())}
                style={{ flex: 1 }}
                data-autofocus
              />
              {canUpload && (
                <UploadButton
                  accept={ACCEPTED_IMAGES}
                  isBusy={upload.isPending}
                  onFiles={(files) => upload.mutate(files)}
                />
              )}
            </div>
            {upload.isError && <ErrorBanner error={upload.error} />}
            {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
            <div className={classes.library}>
              {data && data.data.length > 0 && (
                <MediaGrid
                  files={data.data}
                  selected={shown?.id}
                  onSelect={select}
                  onOpen={(file) => insert(file, file.id === shown?.id ? alt : (file.alt ?? ''))}
                />
              )}
              {data?.data.length === 0 && (
                <p className="t2">
                  {search === ''
                    ? 'No images yet. Upload one, or drop it here.'
                    : 'No images match. Search for something else.'}
                </p>
              )}
            </div>
          </div>
          {shown ? (
            <div>
              <img className={classes.large} src={sourceOf(shown)} alt="" />
              <p className="strong cut" style={{ marginTop: 8 }}>
                {shown.name}
              </p>
              <p className="small t2" style={{ marginBottom: 12 }}>
                {sizeOf(shown)}
              </p>
              {purpose === 'email' && (
                <Textarea
                  label="Alt text"
                  description="For recipients who do not see the image."
                  autosize
                  value={alt}
                  onChange={({ currentTarget: { value } }) => setChoice((now) => ({ ...now, alt: value }))}
                />
              )}
            </div>
          ) : (
            <p className="t2">Select an image.</p>
          )}
        </div>
        <div className="row" style={{ marginTop: 16 }}>
          <span className="small t2 wide">Drop or paste a file anywhere here to upload it.</span>
          <Button className="push" variant="subtle" color="gray" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="filled" disabled={!shown} onClick={() => shown && insert(shown, alt)}>
            {purpose === 'logo' ? 'Use as logo' : 'Insert image'}
          </Button>
        </div>
      </DropZone>
    </Modal>
  )
}
