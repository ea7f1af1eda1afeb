// Types of the part of libheif's bindings that is used; those of the package say `any`.
declare module 'libheif-js/libheif-wasm/libheif.js' {
  /** A value of an enumeration of the library. */
  export interface EnumValue {
    value: number;
  }

  /** Error of the library, which it returns instead of a result. */
  export interface HeifError {
    code: EnumValue;
    subcode: EnumValue;
    message?: string;
  }

  /** A plane of a decoded picture: a view of the module's memory. */
  export interface Plane {
    id: EnumValue;
    stride: number;
    data: Uint8Array;
    width: number;
    height: number;
    bits_per_pixel: number;
  }

  /** An object in the module's memory. */
  export type Pointer = object;

  /** One instance of the module, with a memory of its own. */
  export interface LibHeif {
    heif_context_alloc(): Pointer;
    heif_context_read_from_memory(context: Pointer, file: Uint8Array): HeifError;
    heif_js_context_get_primary_image_handle(context: Pointer): Pointer | HeifError;
    heif_image_handle_get_width(handle: Pointer): number;
    heif_image_handle_get_height(handle: Pointer): number;
    heif_js_decode_image2(
      handle: Pointer,
      colorspace: EnumValue,
      chroma: EnumValue,
    ): { width: number; height: number; channels: Plane[] } | HeifError;
    heif_error_code: { heif_error_Ok: EnumValue };
    heif_colorspace: { heif_colorspace_RGB: EnumValue };
    heif_chroma: Record<
      | 'heif_chroma_interleaved_RGB'
      | 'heif_chroma_interleaved_RGBA'
      | 'heif_chroma_interleaved_RRGGBB_LE'
      | 'heif_chroma_interleaved_RRGGBBAA_LE',
      EnumValue
    >;
    heif_channel: { heif_channel_interleaved: EnumValue };
  }

  /** Creates an instance. */
  function createLibHeif(options: {
    print: () => void;
    printErr: () => void;
    instantiateWasm(imports: object, receive: (instance: { exports: object }, code: object) => void): object;
  }): LibHeif;

  export { createLibHeif as default };
}
