import { defineEntity, p } from '@mikro-orm/core'
import type { ImageType } from '../platform/image.ts'

const schema = defineEntity({
  name: 'MediaFile',
  tableName: 'media_files',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    name: p.text(),
    /** Null if none has been written, and empty for a decorative image. */
    alt: p.text().nullable(),
    hash: p.text(),
    type: p.text().$type<ImageType>(),
    width: p.integer(),
    height: p.integer(),
    bytes: p.integer(),
    content: p.blob().lazy(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
})

/** An image that emails show. Its content never changes. */
export class MediaFile extends schema.class {}
schema.setClass(MediaFile)
