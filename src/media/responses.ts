import { array, type InferType, number, object, string } from 'yup'
import { id, nullableText, timestamp } from '../http/index.ts'
import type { MediaFile } from './entities.ts'
import type { MediaUse } from './queries.ts'
import { fileUrl } from './urls.ts'

const pixels = (description: string, example: number) => number().integer().required().meta({ description, example })

const fields = {
  id: id('file'),
  name: string().required().meta({ example: 'apples.png' }),
  alt: nullableText('A text for recipients who do not see the image. Empty if it is decorative.', 'A box of apples'),
  url: string().required().meta({
    description: 'Its public URL, for emails. Its content never changes.',
    example: 'https://mail.example.com/m/p3SmbLCSDqjQ5ANeLw1Yo6zhVtx8Gk_R.png',
  }),
  type: string()
    .oneOf(['image/png', 'image/jpeg', 'image/gif'] as const)
    .required()
    .meta({ example: 'image/png' }),
  width: pixels('In pixels.', 1200),
  height: pixels('In pixels.', 600),
  bytes: pixels('Its size in bytes.', 88_064),
  createdAt: timestamp('The time of the upload.'),
}

export const fileResponse = object(fields)
  .required()
  .meta({ component: 'MediaFile', description: 'An image for emails.' })

const useResponse = object({
  kind: string()
    .oneOf(['TEMPLATE', 'AUTOMATION', 'CAMPAIGN', 'EMAIL', 'SENDER'] as const)
    .required()
    .meta({ example: 'TEMPLATE' }),
  id: id('template, automation, campaign or scheduled email, or of the workspace for the logo of its sender'),
  name: string().required().meta({ example: 'Welcome' }),
  status: nullableText('The status of an automation or a campaign.'),
})
  .required()
  .meta({ component: 'MediaUse' })

export const fileDetailResponse = object({
  ...fields,
  usedIn: array()
    .of(useResponse)
    .required()
    .meta({ description: 'Templates, automations, campaigns and scheduled emails that show it, at most 100.' }),
})
  .required()
  .meta({ component: 'MediaFileDetail', description: 'An image, and what uses it.' })

export const imageResponse = object({
  dataUrl: string().required().meta({
    description: 'The image as a data: URL, at most 1,600 pixels wide.',
    example: 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  }),
}).required()

export const presentFile = (file: MediaFile, publicUrl: string): InferType<typeof fileResponse> => ({
  id: file.id,
  name: file.name,
  alt: file.alt ?? null,
  url: fileUrl(publicUrl, file),
  type: file.type,
  width: file.width,
  height: file.height,
  bytes: file.bytes,
  createdAt: file.createdAt.toISOString(),
})

export const presentFileDetail = (
  file: MediaFile,
  publicUrl: string,
  usedIn: MediaUse[],
): InferType<typeof fileDetailResponse> => ({ ...presentFile(file, publicUrl), usedIn })
