import { expect, it } from 'vitest';
import { photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

const { rig, admin, upload, remove } = useRig({ delivery: 'beside' });

/** Remains of an attachment: its files, metadata and row. */
const LEFT = `global $wpdb;
return array(
	'meta' => $wpdb->get_col( $wpdb->prepare( "SELECT meta_key FROM $wpdb->postmeta WHERE post_id = %d", $id ) ),
	'row'  => imagewright()->get( Imagewright_Index::class )->row( $id ),
);`;

/** Deletes an image from another request right before its files are saved. */
const DELETE_BEFORE_SAVING = `if ( ! get_option( "imagewright_delete_once" ) ) { return; }
add_filter( "update_post_metadata", static function ( $check, $id, $key ) {
	global $wpdb;
	if ( "_imagewright" === $key && $id === (int) get_option( "imagewright_delete_once" ) ) {
		delete_option( "imagewright_delete_once" );
		wp_delete_attachment( $id, true );
	}
	return $check;
}, 10, 3 );`;

it('an image that is deleted while it is optimized leaves no file and no record', async () => {
  const bytes = await photograph(1400);
  for (const ms of [50, 350]) {
    const { id } = await upload(`gone-${ms}.jpg`, bytes);
    const optimized = admin.answer('POST', `/attachments/${id}/optimize`, { fillText: false });
    await new Promise((resolve) => setTimeout(resolve, ms));
    await remove(id);
    await optimized;
    expect(await rig.site.uploads()).toEqual([]);
    expect(await rig.site.php(LEFT, { id })).toEqual({ meta: [], row: [] });
  }
});

it('the files of an image that is deleted right before they are saved are removed', async () => {
  const { id } = await upload('late.jpg', await photograph(900));
  await rig.site.php(
    'file_put_contents( WPMU_PLUGIN_DIR . "/delete-once.php", "<?php\\n" . $code ); update_option( "imagewright_delete_once", $id );',
    {
      code: DELETE_BEFORE_SAVING,
      id,
    },
  );
  try {
    await admin.answer('POST', `/attachments/${id}/optimize`, { fillText: false });
  } finally {
    await rig.site.php('unlink( WPMU_PLUGIN_DIR . "/delete-once.php" );');
  }
  expect(await rig.site.php('return get_post( $id );', { id })).toBeNull();
  expect(await rig.site.uploads()).toEqual([]);
  expect(await rig.site.php(LEFT, { id })).toEqual({ meta: [], row: [] });
});
