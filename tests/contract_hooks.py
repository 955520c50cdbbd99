"""Hooks of tests/contract for schemathesis, in addition to schemathesis.toml."""

import collections
import itertools
import json
import os
import re

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import RejectedPositiveData

OWN_KEYS = os.environ["CONTRACT_OWN_KEYS"].split()
NUMBERS = itertools.count(1)
CONTACTS = collections.deque(maxlen=20)  # ids of some created contacts
KEPT = json.loads(os.environ["CONTRACT_KEPT"])  # path parameters of the objects created before the run, by path
TRIAL = os.environ["CONTRACT_TRIAL"]  # id of a test delivery of the kept webhook
REJECTED = collections.deque(os.environ["CONTRACT_REJECTED"].split())  # ids of events that can each be retried once
# Path parameters for deletions: objects that the run created, by the path that created them.
MADE = collections.defaultdict(lambda: collections.deque(maxlen=20))
SOURCES = {
    "/products/{id}": ("/products/product-id/{id}", "id"),
    "/products/product-id/{id}": ("/products/product-id/{id}", "productId"),
    "/purchases/{id}": ("/purchases/", "id"),
    "/purchases/purchase-id/{id}": ("/purchases/", "purchaseId"),
    "/custom-integrations/{id}": ("/custom-integrations/", "id"),
    "/custom-integrations/{id}/custom-event-types/{eventTypeId}": ("/custom-integrations/{id}/custom-event-types/", "id"),
    "/imports/{id}": ("/imports/", "id"),
    "/manage/webhooks/{id}": ("/manage/webhooks/", "id"),
    "/manage/rejected-events/{id}": ("/manage/rejected-events/", "id"),
    "/contacts/email/{email}": ("/contacts/email/{email}", "email"),
    "/contacts/external-id/{externalId}": ("/contacts/external-id/{externalId}", "externalId"),
}
for number, one in enumerate(json.loads(os.environ["CONTRACT_DOOMED"])):  # each set of doomed objects serves one path
    path = list(SOURCES)[number % len(SOURCES)]
    MADE[SOURCES[path]].append(one[path])
# Valid values of members with rules beyond the schema, for most of the bodies that should be accepted.
MONEY = ["0", "19.90", 7, "0.000001"]
LINK = ["https://shop.example.com/a?b=c", "https://example.com/"]
GOOD = {
    **dict.fromkeys(("price", "originalPrice", "priceWithoutTax", "total", "storeTotal", "subtotal", "shipping", "tax", "discount",
                     "unitPrice", "originalUnitPrice", "amount"), MONEY),
    **dict.fromkeys(("url", "imageUrl", "thumbnailUrl", "orderUrl"), LINK),
    "prices": [{}, {"USD": "1.5"}], "quantity": [1, "2.5"], "rating": ["4.5", None], "currency": ["EUR", "USD"],
    "trackingUrls": [[], LINK], "shippingCountry": ["AT"], "translations": [{}], "variants": [{}, {"large": {"stock": 1}}],
    "attributes": [{}, {"colour": "red", "sizes": ["s", "m"]}], "refunds": [[]], "categories": [[], ["Bells"]], "tags": [[], ["a", "b"]],
    "email": ["someone@example.com"], "phone": ["+436641234567", None], "birthDate": ["1990-02-28", None], "country": ["AT", None],
    "locale": ["de", "en-GB"], "timeZone": ["Europe/Vienna"], "fields": [{}], "consent": [[]], "points": [3, {"add": 1}],
    "emailStatus": ["active", "paused"], "phoneStatus": ["active"], "domains": [[]],
}  # fmt: skip
# Members that are removed from bodies, because the service rejects times before an erasure.
TIMES = {"occurredAt", "purchasedAt", "sourceUpdatedAt"}
OF_ITS_TYPE = {"min", "max", "maxLength", "options"}
CONTENT = {"locales": {"en": {"subject": "Hello", "html": '<a href="{{ unsubscribe_url }}">Unsubscribe</a>'}}}
DEFINITION = {"trigger": {"event": "contact.created"}, "nodes": [{"id": "end", "type": "exit"}]}

# Faults that the service may report for a body that matches its schema. These depend on another member or on stored
# data.
OF_CONTEXT = {"conflicts-with", "consent-needs-proof", "duplicate", "read-only"}
# Members with values from a registry.
REGISTERED = {"timeZone", "currency", "locale", "country", "domains", "url", "allowedAddresses"}
# Members of a contact that the store's settings or the service restrict, and members of a contact field that depend on
# its type. The type may be stored, and some ids are reserved.
OF_A_CONTACT = {"email", "externalId", "phone", "birthDate", "fields", "consent", "emailStatus", "phoneStatus", "points"}
OF_A_FIELD = {"id", "defaultValue", "min", "max", "maxLength", "options"}
# An event type's members depend on its direction, its fields on their types.
OF_AN_EVENT_TYPE = {"alias", "url", "headers", "fields", "imageUrl"}
# Decimals have at most 18 and 6 digits, which JSON Schema cannot express; URLs and texts have further rules.
OF_MONEY = {
    "price", "originalPrice", "priceWithoutTax", "prices", "rating", "total", "storeTotal", "subtotal", "shipping", "tax",
    "discount", "quantity", "unitPrice", "originalUnitPrice", "amount", "refunds", "lines", "contact", "imageUrl",
    "thumbnailUrl", "trackingUrls", "orderUrl", "shippingCountry", "translations", "variants", "attributes",
}  # fmt: skip
# A coupon set's members depend on its kind and on each other; codes have visible characters only.
OF_A_COUPON_SET = {"alias", "code", "codes", "kind", "expiresAt", "validFrom", "lowWatermark"}
# Contents are Liquid by locale. The events of a preview have members of their own.
OF_A_TEMPLATE = {"content", "locales", "defaultLocale", "sender", "locale", "event", "trigger", "alias"}
# An export's columns and filters depend on its type and on the store's fields.
OF_AN_EXPORT = {"columns", "filters", "groupBy", "from", "to"}
FIXED_IN_A_FIELD = {"id", "type", "indexed", "required", "defaultValue"}


@schemathesis.serializer("application/x-ndjson")
def one_a_line(context, value):
    return value.encode() if isinstance(value, str) else str(value).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(NUMBERS)
    # Do not revoke the run's own keys.
    if case.path == "/manage/keys/{id}" and case.method != "GET":
        if case.path_parameters.get("id") in OWN_KEYS:
            case.path_parameters["id"] = "00000000-0000-7000-8000-000000000000"
    # The id was taken from another response: do not delete a kept object.
    if case.method == "DELETE" and case.path_parameters == KEPT.get(case.path):
        case.path_parameters[last_parameter(case.path)] = "00000000-0000-7000-8000-000000000000"
    # A few cases stay as they are; not deletions, of which there are so few that most might be refused.
    if case.meta.generation.mode.is_positive and (number % 8 or case.method == "DELETE"):
        name_a_contact(case, number)
        name_what_was_made(case, number)
        mend_body(case, number)
        mend_import(case)
        case.query.pop("cursor", None)
    # Generated keys and ids repeat often, and a repeated one would be rejected for that reason alone.
    key = case.headers.get("Idempotency-Key")
    if key and re.fullmatch("[!-~]{1,255}", key):
        case.headers["Idempotency-Key"] = f"{number}.{key}"[:255]
    # Leave every fourth body unchanged, so that some conflicts occur.
    if not isinstance(case.body, dict) or number % 4 == 0:
        return
    chosen = case.body.get("id")
    if case.method == "POST" and isinstance(chosen, str) and re.fullmatch("[a-z][a-zA-Z0-9_]{0,50}", chosen):
        case.body["id"] = f"{chosen}_{number}"
    if case.path == "/manage/contact-fields/{id}" and case.meta.generation.mode.is_positive:
        for member in FIXED_IN_A_FIELD:
            case.body.pop(member, None)


def name_a_contact(case, number):
    """Uses few people, so that requests create, change, merge and erase the same ones."""
    someone = f"person{number % 12}"
    if "{email}" in case.path:
        case.path_parameters["email"] = f"{someone}@example.com"
    if "{externalId}" in case.path:
        case.path_parameters["externalId"] = someone
    if case.path.startswith("/contacts/") and case.method == "PATCH" and number % 8:
        case.query["createContact"] = "true"
    if case.path == "/manage/contacts/{id}":  # the created contacts may all be merged or erased by now
        kept = KEPT[case.path]["id"]
        case.path_parameters["id"] = CONTACTS[number % len(CONTACTS)] if CONTACTS and number % 2 else kept
    if case.path == "/manage/contacts/merge" and len(CONTACTS) > 1 and isinstance(case.body, dict):
        case.body["from"], case.body["into"] = CONTACTS[number % len(CONTACTS)], CONTACTS[(number + 1) % len(CONTACTS)]


def name_what_was_made(case, number):
    if case.path == "/products/product-id/{id}" and case.method == "PATCH" and number % 2:
        case.path_parameters["id"] = f"product{number}"
    elif case.method == "DELETE":
        if made := MADE[SOURCES.get(case.path)]:
            case.path_parameters.update(made.popleft())
    # Contacts do not use the kept object: they are created and erased all the time.
    elif not case.path.startswith(("/contacts/", "/manage/contacts/")):
        case.path_parameters.update(KEPT.get(case.path, {}))
        if case.path == "/manage/workflows/{id}/why":  # exactly one of the parameters names a contact
            case.query.clear()
            case.query["email"] = "kept@example.com"
        if case.path == "/manage/rejected-events/{id}/retry" and REJECTED:
            case.path_parameters["id"] = REJECTED.popleft()


def mend_body(case, number):
    """Replaces only values with rules that a schema cannot express."""
    if not isinstance(case.body, dict):
        return
    case.body = mended(case.body, number)
    body = case.body
    if case.path.startswith("/custom-integrations/"):
        body.pop("eventsEnabled", None)
    if "custom-event-types" in case.path:
        body["fields"] = [{"id": "cartId", "name": "Cart", "type": "text"}]
        if case.method == "POST":
            body.update({"direction": "receive", "alias": f"alias-{number}"})
        for member in ("url", "headers", "signingSecret", *(["alias"] if case.method == "PATCH" else [])):
            body.pop(member, None)
    if case.path.startswith("/contacts/"):
        for member in ("email", "externalId"):  # the path already gives these identifiers
            body.pop(member, None)
    if case.path == "/exports/" and number % 2:  # the available columns and filters depend on the type
        body.update({"type": ("contacts", "products", "purchases", "activities")[number // 2 % 4], "filters": {}})
        body.pop("columns", None)
    if case.path == "/manage/contact-fields/{id}":
        for member in OF_ITS_TYPE:
            body.pop(member, None)
    if case.path == "/products/product-id/{id}":
        body.update({"name": "Bell", "url": LINK[0]})
        body.pop("productId", None)
    if case.path == "/purchases/":
        body.update({"contact": {"externalId": f"person{number % 12}"}, "lines": [{"productId": "product1", "quantity": 1}]})
        case.query["createContact"] = "true"
    if "custom-events" in case.path:
        body.update({"contact": {"externalId": f"person{number % 12}"}, "payload": {"cartId": "c"}, "eventId": f"event-{number}"})
        case.query["createContact"] = "true"
    if "templates" in case.path:
        mend_template(case, number)
    if case.path in ("/manage/workflows/", "/manage/workflows/{id}/draft"):
        case.body = {"name": "Flow", **DEFINITION, "description": body.get("description")}
        if case.method == "POST":
            case.body["alias"] = f"flow-{number}"
    if case.path == "/manage/workflows/{id}/publish":
        body["nodes"] = {"pause": "end"}
    if case.path == "/manage/workflows/{id}/dry-run":
        case.body = {"contact": {"email": "kept@example.com"}, "event": {"kind": "contact.created", "data": {}}}
    if case.path in ("/manage/webhooks/", "/manage/webhooks/{id}"):
        # An unregistered domain, because the service sends events to this URL.
        body["url"] = "https://shop.example/told"
        body["headers"] = [{"name": "X-Token", "value": "open"}]
        # The kept webhook must accept test events until the end of the run.
        body["status"] = "disabled" if case.method == "POST" else "enabled"
    if case.path == "/manage/webhooks/{id}/replay":
        body.update({"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"})
    if case.path == "/manage/webhooks/{id}/redeliver":
        body["id"] = TRIAL
    if case.path == "/manage/coupon-sets/":
        body.update({"alias": f"set-{number}", "kind": "unique"})
        for member in ("code", "expiresAt", "validFrom"):
            body.pop(member, None)


def mend_template(case, number):
    """Replaces contents, because a schema cannot express Liquid and the names of locales."""
    body = case.body
    if case.path == "/manage/templates/":
        body["alias"] = f"letter-{number}"
        if "content" in body:
            body["content"] = CONTENT
    elif case.path.endswith("/content"):
        case.body = dict(CONTENT)
    elif case.path.endswith("/preview"):
        case.body = {"contact": {"firstName": "Eva"}}


def mend_import(case):
    """A multipart form has all options in its parts, a plain file has them in the query."""
    if case.path != "/imports/" or case.method != "POST":
        return
    if isinstance(case.body, dict):
        case.query.clear()
        case.body = {"type": "contacts", "options": {"dryRun": True}, "file": "externalId\n1\n"}
    else:
        case.query.update({"type": "contacts"})
        for name in ("couponSetId", "eventType", "delimiter", "format"):
            case.query.pop(name, None)


def mended(value, number):
    if isinstance(value, dict):
        return {name: GOOD[name][number % len(GOOD[name])] if name in GOOD else mended(inner, number)
                for name, inner in value.items() if name not in TIMES}  # fmt: skip
    return [mended(inner, number) for inner in value] if isinstance(value, list) else value


def last_parameter(path):
    return re.findall("{([a-zA-Z]+)}", path)[-1]


@schemathesis.hook
def after_call(context, case, response):
    for path, (maker, member) in SOURCES.items():
        if maker == case.path and response.status_code == 201:
            MADE[maker, member].append({**case.path_parameters, last_parameter(path): response.json()[member]})
    if case.path.startswith("/contacts/") and case.method == "PATCH" and response.status_code == 201:
        CONTACTS.append(response.json()["id"])


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Returns whether the failure counts."""
    if isinstance(failure, RejectedPositiveData):
        return not is_beyond_schema(case, response)
    if response.status_code == 429:  # the maximum of unfinished jobs is reached
        return False
    if isinstance(failure, AcceptedNegativeData):
        # In a batch each line has its own result.
        if "results" in response.json():
            return False
        # In lenient mode the service drops invalid members and reports them.
        return "preference-applied" not in response.headers
    return True


def is_beyond_schema(case, response):
    if response.status_code not in (400, 422):
        return False
    problem = response.json()
    if problem["code"] == "malformed-json":  # JSON allows U+0000; the service does not, because PostgreSQL cannot store it
        return "U+0000" in problem["detail"]
    if problem["code"] == "invalid-cursor":  # a generated cursor is never valid
        return True
    if problem["code"] in ("contact-erased", "contact-not-found", "url-domain"):  # the result depends on stored data
        return True
    if case.path == "/imports/":  # options depend on the file type, parameters on the form; the file may be unreadable
        return problem["code"] in ("file-unreadable", "invalid-body", "invalid-parameter")
    if case.path.endswith("/dry-run"):  # the event depends on the workflow's trigger
        return problem["code"] == "invalid-body"
    if problem["code"] == "template-invalid":  # the content may lack a link to unsubscribe
        return True
    if problem["code"] == "workflow-invalid":  # a schema cannot express the rules for the graph and the expressions
        return True
    # The value is blank, has too many tags, conflicts with another filter, or is invalid UTF-8.
    if problem["code"] == "invalid-parameter":
        named = {"invalid-format"} if "product-id" in case.path else set()  # the id may contain control characters
        if case.path == "/manage/runs/":  # the workflow must exist
            named = {"not-an-option"}
        return all(fault["code"] in {"too-short", "too-long", "conflicts-with"} | named for fault in problem.get("errors", []))
    members = REGISTERED | (OF_A_FIELD if "contact-fields" in case.path else OF_A_CONTACT | OF_AN_EVENT_TYPE)
    members |= OF_MONEY
    if "coupon-sets" in case.path:
        members |= OF_A_COUPON_SET
    if "templates" in case.path:
        members |= OF_A_TEMPLATE
    if "exports" in case.path:
        members |= OF_AN_EXPORT
    if "webhooks" in case.path:  # the service rejects times in the past and times in another format
        members |= {"from", "to"}
    if case.path.endswith("/publish"):  # the map names nodes of stored versions
        members |= {"nodes"}
    if "custom-events" in case.path:
        members |= {"payload", "contact", "occurredAt"}
    context = OF_CONTEXT | {"required"} if "products" in case.path else OF_CONTEXT  # a new product needs name and url
    return problem["code"] == "invalid-body" and all(
        fault["code"] in context or members & set(fault["pointer"].split("/")[1:]) for fault in problem["errors"]
    )
