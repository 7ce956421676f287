/** The formats that every mail client shows: https://www.caniemail.com/search/?s=image */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif'

/** Maximum size of a file, before and after the conversion. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024

export interface Image {
  type: ImageType
  width: number
  height: number
  content: Buffer
}

/** Converts files to images for emails: see `src/media/read-image.ts`. */
export interface ImageReader {
  /** @throws {ApiError} `not_an_image`; `image_too_large`; `busy` */
  read(file: Buffer, options?: { refusesSvg?: boolean }): Promise<Image>
  close(): Promise<void>
}
