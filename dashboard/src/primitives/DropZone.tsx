import { Button, FileButton } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { type ClipboardEvent, type DragEvent, type ReactNode, useState } from 'react'
import classes from './DropZone.module.css'

/** An area on which files can be dropped or pasted. @param hint what happens to a file that is dropped, shown while one is over it */
export function DropZone({
  hint,
  onFiles,
  children,
}: {
  hint: string
  /** None for a member who may not upload. */
  onFiles: ((files: readonly File[]) => void) | undefined
  children: ReactNode
}) {
  const [isOver, setOver] = useState(false)
  if (!onFiles) return children
  const take = (data: DataTransfer) => {
    const files = [...data.files]
    if (files.length > 0) onFiles(files)
    return files.length > 0
  }
  return (
    <div
      className={classes.zone}
      onDragOver={(event: DragEvent) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event: DragEvent) => {
        setOver(false)
        if (take(event.dataTransfer)) event.preventDefault()
      }}
      onPaste={(event: ClipboardEvent) => {
        if (take(event.clipboardData)) event.preventDefault()
      }}
    >
      {children}
      {isOver && <div className={classes.over}>{hint}</div>}
    </div>
  )
}

/** Chooses files from the device. */
export const UploadButton = ({
  accept,
  isBusy,
  variant = 'default',
  children = 'Upload',
  onFiles,
}: {
  accept: string
  isBusy: boolean
  variant?: 'filled' | 'default'
  children?: string
  onFiles: (files: readonly File[]) => void
}) => (
  <FileButton multiple accept={accept} onChange={(files) => files.length > 0 && onFiles(files)}>
    {(props) => (
      <Button {...props} variant={variant} loading={isBusy} leftSection={<IconUpload aria-hidden />}>
        {children}
      </Button>
    )}
  </FileButton>
)
