<?php
// Forwards imagewright-proxy.php/v1/… to the service with the site's key. cms.php says who may use it and whose sessions are whose.
// An exception of the CMS must not look like an answer of the service.
set_exception_handler(function (Throwable $error): void {
    error_log((string) $error);
    refuse(500, 'internal_error', 'The server could not do it; its log says why.');
});

require __DIR__ . '/cms.php';

/** Methods and paths that editors may use. Anything else is refused. */
const ROUTES = [
    ['POST', '#^/v1/(sessions|credits/check)$#D'],
    ['GET', '#^/v1/(credits/balance|limits)$#D'],
    ['GET DELETE', '#^/v1/sessions/(?<session>sess_[0-9A-Za-z]{22})$#D'],
    ['GET', '#^/v1/sessions/(?<session>sess_[0-9A-Za-z]{22})(/analysis|(-sample)?/download)$#D'],
    ['POST', '#^/v1/sessions/(?<session>sess_[0-9A-Za-z]{22})/(images|analyze|export|sample)$#D'],
    ['PATCH', '#^/v1/sessions/(?<session>sess_[0-9A-Za-z]{22})/images/img_[0-9A-Za-z]{22}$#D'],
    ['GET', '#^/v1/sessions/(?<session>sess_[0-9A-Za-z]{22})/images/img_[0-9A-Za-z]{22}/preview$#D'],
    ['GET', '#^/v1/jobs/(?<job>job_[0-9A-Za-z]{22})(/events)?$#D'],
    ['POST', '#^/v1/jobs/(?<job>job_[0-9A-Za-z]{22})/cancel$#D'],
];
const SENT = ['Accept', 'Idempotency-Key', 'Last-Event-ID', 'Range', 'If-Range', 'If-Match', 'If-None-Match'];
const RETURNED = '/^(content-(type|length|disposition|range|security-policy)|accept-ranges|cache-control|etag|ratelimit(-policy)?'
    . '|retry-after|x-accel-buffering|x-content-type-options|x-job-id|x-request-id):/i';

function refuse(int $status, string $code, string $error): void
{
    http_response_code($status);
    header_remove('Content-Length');
    header('Content-Type: application/json');
    exit(json_encode(['error' => $error, 'code' => $code]));
}

/** Refuses where the service gave no answer that could be passed on: 502 is repeated, 424 is not. */
function refuse_for_service(int $status): void
{
    if ($status === 401) {
        refuse(424, 'invalid_api_key', "The site's key for the image service is wrong.");
    }
    refuse(502, 'bad_gateway', 'The image service does not answer.');
}

function pass_header(int $status, string $line): void
{
    http_response_code($status);
    if ($status !== 401 && preg_match(RETURNED, $line)) {
        header(trim($line));
    }
}

/** Returns a prepared request to the service. */
function service(string $path, array $headers = [])
{
    $curl = curl_init(rtrim(getenv('IMAGEWRIGHT_URL') ?: 'http://127.0.0.1:8080', '/') . $path);
    // An empty Expect: curl would wait before large bodies.
    $own = ['X-API-Key: ' . getenv('IMAGEWRIGHT_API_KEY'), 'Expect:'];
    curl_setopt_array($curl, [
        CURLOPT_HTTPHEADER => array_merge($headers, $own),
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_LOW_SPEED_LIMIT => 1,
        CURLOPT_LOW_SPEED_TIME => 300,
    ]);
    return $curl;
}

/** Returns the session of a job; null if there is no such job. Passes every other answer of the service on: it says nothing of the session. */
function session_of(string $job): ?string
{
    $lines = [];
    $curl = service("/v1/jobs/$job");
    curl_setopt($curl, CURLOPT_HEADERFUNCTION, function ($curl, string $line) use (&$lines): int {
        $lines[] = $line;
        return strlen($line);
    });
    $body = curl_exec($curl);
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    $answer = json_decode((string) $body, true);
    if ($body !== false && $status === 404 && ($answer['code'] ?? '') === 'job_not_found') {
        return null;
    }
    if ($body !== false && $status === 200 && is_string($answer['sessionId'] ?? null)) {
        return $answer['sessionId'];
    }
    if ($body === false || $status === 200 || $status === 401) {
        refuse_for_service($status);
    }
    foreach ($lines as $line) {
        pass_header($status, $line);
    }
    exit($body);
}

/** Returns the body for curl: JSON as it is, an upload from $_FILES, since php://input is empty then. One file a request. */
function body(string $type)
{
    if (stripos($type, 'multipart/form-data') !== 0) {
        return file_get_contents('php://input');
    }
    $file = $_FILES['images'] ?? ['error' => UPLOAD_ERR_INI_SIZE];
    if ($file['error'] !== UPLOAD_ERR_OK) {
        refuse(413, 'file_too_large', 'Expected one file in the field images, within upload_max_filesize and post_max_size.');
    }
    $image = ['images' => new CURLFile($file['tmp_name'], 'application/octet-stream', $file['name'])];
    return $image + array_filter(['metadata' => $_POST['metadata'] ?? null], 'is_string');
}

$method = $_SERVER['REQUEST_METHOD'];
$path = $_SERVER['PATH_INFO'] ?? '';
$user = cms_user();
if ($user === null) {
    refuse(401, 'not_logged_in', 'Log in as a user who may edit media.');
}
foreach (ROUTES as [$methods, $form]) {
    $route = in_array($method, explode(' ', $methods), true) && preg_match($form, $path, $found);
    if ($route) {
        break;
    }
}
if (!$route) {
    refuse(404, 'not_found', 'This site does not allow this path of the image service.');
}
if (isset($found['session']) && !cms_owns($user, $found['session'])) {
    refuse(404, 'session_not_found', 'No such session, or it has expired.');
}
if (isset($found['job'])) {
    $session = session_of($found['job']);
    if ($session === null || !cms_owns($user, $session)) {
        refuse(404, 'job_not_found', 'No such job.');
    }
}

$headers = [];
foreach (SENT as $name) {
    $value = $_SERVER['HTTP_' . strtr(strtoupper($name), '-', '_')] ?? '';
    if ($name === 'Idempotency-Key' && $value !== '') {
        // Another user's equal key must not be answered with this one's session.
        $value = hash('sha256', json_encode([$user, $value], JSON_INVALID_UTF8_SUBSTITUTE));
    }
    $headers[] = $value === '' ? "$name:" : "$name: $value";
}
$body = $method === 'GET' ? '' : body($_SERVER['CONTENT_TYPE'] ?? '');
if (is_string($body) && $body !== '') {
    $headers[] = 'Content-Type: application/json';
}
$query = $_SERVER['QUERY_STRING'] ?? '';
$curl = service($path . ($query === '' ? '' : "?$query"), $headers);
if ($body !== '') {
    curl_setopt($curl, CURLOPT_POSTFIELDS, $body);
}
$creates = $method === 'POST' && $path === '/v1/sessions';
$kept = '';
curl_setopt_array($curl, [
    CURLOPT_CUSTOMREQUEST => $method,
    CURLOPT_HEADERFUNCTION => function ($curl, string $line): int {
        pass_header(curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $line);
        return strlen($line);
    },
    CURLOPT_WRITEFUNCTION => function ($curl, string $chunk) use ($creates, &$kept): int {
        if ($creates || curl_getinfo($curl, CURLINFO_RESPONSE_CODE) === 401) {
            $kept .= $chunk;
        } else {
            echo $chunk;
            flush();
        }
        return strlen($chunk);
    },
]);
// Nothing may hold events back: no time limit, compression or output buffer, and no lock of the CMS's session.
set_time_limit(0);
ini_set('zlib.output_compression', '0');
while (ob_get_level() > 0) {
    ob_end_clean();
}
$whole = curl_exec($curl);
$status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
$created = $creates && $status === 201 && $whole ? json_decode($kept, true)['sessionId'] ?? '' : '';
if ($status === 0 || $status === 401 || ($creates && $status === 201 && $created === '')) {
    refuse_for_service($status);
}
if ($created !== '') {
    // Stored before the browser knows the id.
    cms_remember($user, $created);
}
echo $kept;
